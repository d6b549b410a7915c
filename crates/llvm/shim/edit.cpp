// Small edits that the C API has no functions for. None of them decides anything.
#include "shim.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopRotationUtils.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/UnrollLoop.h"

using namespace llvm;

// Records without an instruction behind them would go to whatever is put there next.
static void deleteTrailingRecords(BasicBlock *B) {
  if (DbgMarker *Marker = B->getTrailingDbgRecords()) {
    B->deleteTrailingDbgRecords(); // forgets the marker, which values still know as a user
    Marker->eraseFromParent();
  }
}

extern "C" {

// Phis.
void frit_phi_set_value(PHINode *Phi, unsigned At, Value *V) { Phi->setIncomingValue(At, V); }
void frit_phi_set_block(PHINode *Phi, unsigned At, BasicBlock *B) { Phi->setIncomingBlock(At, B); }
void frit_phi_remove(PHINode *Phi, unsigned At) { Phi->removeIncomingValue(At, false); }

// Places.
void frit_move_before(Instruction *I, Instruction *Place) { I->moveBefore(Place); }
void frit_move_to_end(Instruction *I, BasicBlock *B) {
  BasicBlock *From = I->getParent();
  bool IsTerminator = I->isTerminator();
  if (IsTerminator)
    I->dropDbgRecords();
  I->moveBefore(*B, B->end());
  if (IsTerminator)
    deleteTrailingRecords(From);
}
void frit_move_phi(PHINode *Phi, BasicBlock *B) { Phi->moveBefore(*B, B->getFirstNonPHIIt()); }
void frit_erase(Instruction *I) {
  if (!I->use_empty())
    I->replaceAllUsesWith(PoisonValue::get(I->getType()));
  BasicBlock *B = I->getParent();
  bool IsTerminator = I->isTerminator();
  if (IsTerminator)
    I->dropDbgRecords();
  I->eraseFromParent();
  if (IsTerminator)
    deleteTrailingRecords(B);
}
void frit_delete_block(BasicBlock *B) {
  deleteTrailingRecords(B);
  B->eraseFromParent();
}
// Splits the block before I: what follows is the new block.
BasicBlock *frit_split_before(Instruction *I) { return I->getParent()->splitBasicBlock(I, I->getParent()->getName() + ".rest"); }
bool frit_merge_into_predecessor(BasicBlock *B) { return MergeBlockIntoPredecessor(B); }
// Only uses in these blocks.
void frit_replace_uses_in(Value *Old, Value *New, BasicBlock **Blocks, size_t N) {
  SmallPtrSet<BasicBlock *, 16> In(Blocks, Blocks + N);
  Old->replaceUsesWithIf(New, [&](Use &U) {
    auto *I = dyn_cast<Instruction>(U.getUser());
    return I && In.count(I->getParent());
  });
}
// The successor edges of a terminator that lead to From lead to To.
void frit_redirect(Instruction *Terminator, BasicBlock *From, BasicBlock *To) {
  Terminator->replaceSuccessorWith(From, To);
}
// The default of a switch, which is never taken, leads where one of its cases does.
void frit_retire_default(SwitchInst *Switch) {
  BasicBlock *From = Switch->getParent(), *To = Switch->case_begin()->getCaseSuccessor();
  Switch->getDefaultDest()->removePredecessor(From);
  for (PHINode &Phi : To->phis())
    Phi.addIncoming(Phi.getIncomingValueForBlock(From), From);
  Switch->setDefaultDest(To);
}
// Blocks nothing leads to.
bool frit_remove_unreachable(Function *F) { return removeUnreachableBlocks(*F); }
// Values that nobody uses go, and what only they use. Some may be used by others alone, be there twice, or be no instructions.
void frit_delete_all_dead(Value **Values, size_t N) {
  SmallVector<WeakTrackingVH> Dead(Values, Values + N);
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(Dead);
}
bool frit_delete_if_dead(Value *V) { return RecursivelyDeleteTriviallyDeadInstructions(V); }
// A join of the ways from B that others reach as well gets a block before it for the ways from B alone. Null if there are none.
BasicBlock *frit_close_join(Analyses *A, BasicBlock *B, BasicBlock *Join) {
  SmallVector<BasicBlock *> Own;
  for (BasicBlock *P : predecessors(Join)) {
    if (A->DT.dominates(B, P)) {
      if (isa<IndirectBrInst, CallBrInst>(P->getTerminator()))
        return nullptr;
      if (!is_contained(Own, P))
        Own.push_back(P);
    }
  }
  if (Own.empty() || Join->isEHPad())
    return nullptr;
  return SplitBlockPredecessors(Join, Own, ".frit.join", &A->DT, &A->LI, nullptr, true);
}
// A block that does nothing but lead to the next one goes.
bool frit_fold_empty(BasicBlock *B) {
  return TryToSimplifyUncondBranchFromEmptyBlock(B);
}

// Copies.
void frit_clone_blocks(BasicBlock **Blocks, size_t N, const char *Suffix, BasicBlock **Out) {
  ValueToValueMapTy Map;
  Function *F = Blocks[0]->getParent();
  BasicBlock *Behind = Blocks[N - 1]->getNextNode();
  // Scopes of aliases that are declared inside are the copy's own.
  SmallVector<MDNode *> Scopes;
  identifyNoAliasScopesToClone(ArrayRef<BasicBlock *>(Blocks, N), Scopes);
  SmallVector<BasicBlock *> Copies;
  for (size_t At = 0; At < N; At++) {
    BasicBlock *Copy = CloneBasicBlock(Blocks[At], Map, Suffix, F);
    if (Behind)
      Copy->moveBefore(Behind);
    Map[Blocks[At]] = Copy;
    Copies.push_back(Copy);
    Out[At] = Copy;
  }
  remapInstructionsInBlocks(Copies, Map);
  if (!Scopes.empty())
    cloneAndAdaptNoAliasScopes(Scopes, Copies, F->getContext(), Suffix);
}

// A copy of the function, invisible from outside. Its blocks are in the order of the original's.
Function *frit_clone_function(Function *F) {
  ValueToValueMapTy Map;
  Function *Copy = CloneFunction(F, Map);
  Copy->setLinkage(GlobalValue::PrivateLinkage);
  Copy->setComdat(nullptr);
  Copy->setVisibility(GlobalValue::DefaultVisibility);
  Copy->setDLLStorageClass(GlobalValue::DefaultStorageClass);
  return Copy;
}
void frit_delete_function(Function *F) { F->eraseFromParent(); }

// The loop in simplified, rotated and LCSSA form, as far as LLVM's utilities lead.
void frit_canonicalise(Analyses *A, Loop *L) {
  for (Loop *Child : *L)
    if (!Child->isLoopSimplifyForm())
      simplifyLoop(Child, &A->DT, &A->LI, &A->SE, &A->AC, nullptr, false);
  if (!L->isLoopSimplifyForm())
    simplifyLoop(L, &A->DT, &A->LI, &A->SE, &A->AC, nullptr, false);
  if (!L->isRecursivelyLCSSAForm(A->DT, A->LI))
    formLCSSARecursively(*L, A->DT, &A->LI, &A->SE);
  if (L->isLoopSimplifyForm() && !(L->getLoopLatch() && L->isLoopExiting(L->getLoopLatch()))) {
    TargetTransformInfo TTI(A->F.getDataLayout());
    SimplifyQuery SQ(A->F.getDataLayout(), &A->TLI, &A->DT, &A->AC);
    LoopRotation(L, &A->LI, &TTI, &A->AC, &A->DT, &A->SE, nullptr, SQ, /*RotationOnly=*/false, /*Threshold=*/UINT_MAX,
                 /*IsUtilMode=*/false, /*PrepareForLTO=*/false);
    simplifyLoop(L, &A->DT, &A->LI, &A->SE, &A->AC, nullptr, false);
    if (!L->isRecursivelyLCSSAForm(A->DT, A->LI))
      formLCSSARecursively(*L, A->DT, &A->LI, &A->SE);
  }
}

// A loop of so few iterations, and a known number of them, becomes straight-line code.
bool frit_unroll(Analyses *A, Loop *L, unsigned Most) {
  unsigned Count = A->SE.getSmallConstantTripCount(L);
  if (Count == 0 || Count > Most || !L->isLoopSimplifyForm() || !L->isInnermost() || !L->isLCSSAForm(A->DT))
    return false;
  UnrollLoopOptions Options{};
  Options.Count = Count;
  Options.Force = true;
  TargetTransformInfo TTI(A->F.getDataLayout());
  LoopUnrollResult Result = UnrollLoop(L, Options, &A->LI, &A->SE, &A->DT, &A->AC, &TTI, nullptr, true);
  return Result != LoopUnrollResult::Unmodified;
}

// Sums of few bits that do not wrap, and are extended: the sum of the extensions is the same number.
static bool isSum(Value *V, Type *Wide) {
  if (auto *T = dyn_cast<TruncInst>(V))
    return T->hasNoSignedWrap() && T->getSrcTy() == Wide;
  auto *B = dyn_cast<BinaryOperator>(V);
  return B && is_contained({Instruction::Add, Instruction::Sub, Instruction::Mul}, B->getOpcode()) && B->hasNoSignedWrap();
}
static PHINode *isCounter(Value *V, Type *Wide, LoopInfo &LI) {
  auto *Phi = dyn_cast<PHINode>(V);
  Loop *L = Phi ? LI.getLoopFor(Phi->getParent()) : nullptr;
  if (!L || L->getHeader() != Phi->getParent() || !L->getLoopPreheader() || !L->getLoopLatch() ||
      Phi->getNumIncomingValues() != 2)
    return nullptr;
  return isSum(Phi->getIncomingValueForBlock(L->getLoopLatch()), Wide) ? Phi : nullptr;
}
static Value *widen(LoopInfo &LI, Value *V, Type *Wide, Instruction *At, DenseMap<Value *, Value *> &Done, unsigned Depth) {
  if (Value *Known = Done.lookup(V))
    return Known;
  IRBuilder<> B(At);
  auto *Op = dyn_cast<Instruction>(V);
  if (PHINode *Phi = Depth > 4 ? nullptr : isCounter(V, Wide, LI)) {
    auto *Counter = PHINode::Create(Wide, 2, "", Phi->getIterator());
    Done[Phi] = Counter;
    for (unsigned At = 0; At < 2; At++) {
      BasicBlock *From = Phi->getIncomingBlock(At);
      Counter->addIncoming(widen(LI, Phi->getIncomingValue(At), Wide, From->getTerminator(), Done, Depth + 1), From);
    }
    return Counter;
  }
  if (Depth > 4 || !Op || !isSum(V, Wide))
    return B.CreateSExt(V, Wide);
  if (isa<TruncInst>(Op))
    return Op->getOperand(0);
  Value *X = widen(LI, Op->getOperand(0), Wide, At, Done, Depth + 1);
  Value *Y = widen(LI, Op->getOperand(1), Wide, At, Done, Depth + 1);
  switch (Op->getOpcode()) {
  case Instruction::Add: return B.CreateNSWAdd(X, Y);
  case Instruction::Sub: return B.CreateNSWSub(X, Y);
  default: return B.CreateNSWMul(X, Y);
  }
}
static bool keepsSign(Instruction *I) { return isa<SExtInst>(I) || (isa<ZExtInst>(I) && I->hasNonNeg()); }
// Is it an extension of such a sum, or of a counter that counts by one, that ScalarEvolution does not see through?
bool frit_hides_sum(Analyses *A, Instruction *I) {
  if (!keepsSign(I) || !I->getType()->isIntegerTy())
    return false;
  auto Hides = [](const SCEV *S) {
    auto *Cast = dyn_cast<SCEVCastExpr>(S);
    return Cast && isa<SCEVSignExtendExpr, SCEVZeroExtendExpr>(S) &&
           isa<SCEVAddExpr, SCEVMulExpr, SCEVAddRecExpr>(Cast->getOperand());
  };
  return SCEVExprContains(A->SE.getSCEV(I), Hides) &&
         (isSum(I->getOperand(0), I->getType()) || isCounter(I->getOperand(0), I->getType(), A->LI));
}
void frit_widen_sum(Analyses *A, Instruction *I) {
  DenseMap<Value *, Value *> Done;
  I->replaceAllUsesWith(widen(A->LI, I->getOperand(0), I->getType(), I, Done, 0));
  I->eraseFromParent();
}

// `memset`, `memcpy`, and `memmove` between objects that do not overlap, of as many whole elements as the length says: what a loop
// over these elements would do.
bool frit_can_be_loop(Analyses *A, Instruction *I, Type *Elem) {
  auto *Op = dyn_cast<MemIntrinsic>(I);
  if (!Op || Op->isVolatile() || Op->getDestAddressSpace() != 0 || !Op->getLength()->getType()->isIntegerTy(64))
    return false;
  if (auto *Set = dyn_cast<MemSetInst>(Op); Set && !isa<ConstantInt>(Set->getValue()))
    return false;
  if (auto *Move = dyn_cast<MemTransferInst>(Op)) {
    auto Whole = [](Value *P) { return MemoryLocation::getBeforeOrAfter(P); };
    if (Move->getSourceAddressSpace() != 0 ||
        (isa<MemMoveInst>(Move) && !A->AA.isNoAlias(Whole(Move->getRawDest()), Whole(Move->getRawSource()))))
      return false;
  }
  uint64_t Size = A->F.getDataLayout().getTypeStoreSize(Elem).getFixedValue();
  if (!(Elem->isIntegerTy() || Elem->isFloatTy() || Elem->isDoubleTy()) || Elem->getScalarSizeInBits() != 8 * Size ||
      Size > 8 || !isPowerOf2_64(Size))
    return false;
  if (auto *Length = dyn_cast<ConstantInt>(Op->getLength()))
    return Length->getZExtValue() % Size == 0 && Length->getZExtValue() / Size >= 16;
  return A->SE.getMinTrailingZeros(A->SE.getSCEV(Op->getLength())) >= Log2_64(Size);
}
// Makes it that loop, with a branch round it. The mark goes with it.
void frit_make_loop(Instruction *I, Type *Elem) {
  auto *Op = cast<MemIntrinsic>(I);
  LLVMContext &C = I->getContext();
  Function *F = I->getFunction();
  uint64_t Size = F->getDataLayout().getTypeStoreSize(Elem).getFixedValue();
  Value *Target = Op->getRawDest(), *Source = nullptr, *Length = Op->getLength();
  if (auto *Move = dyn_cast<MemTransferInst>(Op))
    Source = Move->getRawSource();
  BasicBlock *Before = I->getParent();
  BasicBlock *Join = Before->splitBasicBlock(I, "frit.filled");
  auto *Enter = BasicBlock::Create(C, "frit.fill.enter", F, Join), *Body = BasicBlock::Create(C, "frit.fill", F, Join),
       *Leave = BasicBlock::Create(C, "frit.fill.leave", F, Join);
  Before->getTerminator()->eraseFromParent();
  IRBuilder<> B(Before);
  B.SetCurrentDebugLocation(I->getDebugLoc());
  auto *Shift = dyn_cast<BinaryOperator>(Length);
  bool IsShift = Shift && Shift->getOpcode() == Instruction::Shl && Shift->hasNoUnsignedWrap() &&
                 isa<ConstantInt>(Shift->getOperand(1)) &&
                 cast<ConstantInt>(Shift->getOperand(1))->getZExtValue() == Log2_64(Size);
  Value *Count = IsShift ? Shift->getOperand(0) : B.CreateLShr(Length, Log2_64(Size), "", true);
  B.CreateCondBr(B.CreateICmpNE(Count, ConstantInt::get(Count->getType(), 0)), Enter, Join);
  B.SetInsertPoint(Enter);
  B.CreateBr(Body);
  B.SetInsertPoint(Body);
  PHINode *At = B.CreatePHI(Count->getType(), 2);
  AAMDNodes Tags = I->getAAMetadata();
  Tags.TBAAStruct = nullptr;
  Value *Stored;
  if (Source) {
    auto Align = commonAlignment(cast<MemTransferInst>(Op)->getSourceAlign().valueOrOne(), Size);
    LoadInst *Load = B.CreateAlignedLoad(Elem, B.CreateInBoundsGEP(Elem, Source, At), Align);
    Load->setAAMetadata(Tags);
    Stored = Load;
  } else {
    APInt Bits = APInt::getSplat(8 * Size, cast<ConstantInt>(cast<MemSetInst>(Op)->getValue())->getValue());
    Stored = Elem->isIntegerTy() ? (Value *)ConstantInt::get(Elem, Bits)
                                 : ConstantFP::get(Elem, APFloat(Elem->getFltSemantics(), Bits));
  }
  StoreInst *Store = B.CreateAlignedStore(Stored, B.CreateInBoundsGEP(Elem, Target, At),
                                          commonAlignment(Op->getDestAlign().valueOrOne(), Size));
  Store->setAAMetadata(Tags);
  Value *Next = B.CreateAdd(At, ConstantInt::get(Count->getType(), 1), "", true, true);
  At->addIncoming(ConstantInt::get(Count->getType(), 0), Enter);
  At->addIncoming(Next, Body);
  Instruction *Latch = B.CreateCondBr(B.CreateICmpEQ(Next, Count), Leave, Body);
  if (MDNode *Mark = I->getMetadata("frit.loop"))
    Latch->setMetadata("frit.loop", Mark);
  if (DILocation *Where = I->getDebugLoc()) {
    MDNode *Loop = MDNode::getDistinct(C, {nullptr, Where});
    Loop->replaceOperandWith(0, Loop);
    Latch->setMetadata(LLVMContext::MD_loop, Loop);
  }
  B.SetInsertPoint(Leave);
  B.CreateBr(Join);
  I->eraseFromParent();
}

// Loops are named by metadata on the terminator of their header: marks survive clones and rewriting.
void frit_mark(Instruction *I, unsigned Number) {
  LLVMContext &C = I->getContext();
  auto *Constant = ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(C), Number));
  I->setMetadata("frit.loop", MDNode::get(C, {Constant}));
}
// -1 for none.
int64_t frit_marked(Instruction *I) {
  MDNode *N = I->getMetadata("frit.loop");
  return N ? int64_t(mdconst::extract<ConstantInt>(N->getOperand(0))->getZExtValue()) : -1;
}
void frit_unmark(Instruction *I) { I->setMetadata("frit.loop", nullptr); }

// Accesses of one group are known to be apart from those of the groups of `Others`.
void *frit_scope_domain(Function *F) { return MDBuilder(F->getContext()).createAnonymousAliasScopeDomain("frit"); }
void *frit_scope(Function *F, void *Domain) {
  return MDBuilder(F->getContext()).createAnonymousAliasScope(static_cast<MDNode *>(Domain), "frit");
}
// What is known of the scope holds until this is executed again.
void frit_declare_scope(BasicBlock *AtEnd, void *Scope) {
  IRBuilder<> B(AtEnd);
  B.CreateNoAliasScopeDeclaration(MDNode::get(AtEnd->getContext(), {static_cast<MDNode *>(Scope)}));
}
void frit_add_scopes(Instruction *I, void *Scope, void **Others, size_t N) {
  LLVMContext &C = I->getContext();
  SmallVector<Metadata *> Apart;
  for (size_t At = 0; At < N; At++)
    Apart.push_back(static_cast<MDNode *>(Others[At]));
  I->setMetadata(LLVMContext::MD_alias_scope,
                 MDNode::concatenate(I->getMetadata(LLVMContext::MD_alias_scope), MDNode::get(C, {static_cast<MDNode *>(Scope)})));
  I->setMetadata(LLVMContext::MD_noalias,
                 MDNode::concatenate(I->getMetadata(LLVMContext::MD_noalias), MDNode::get(C, Apart)));
}
// The fused loop has the properties that all of its loops had; what is said of their accesses alone is dropped.
void frit_join_loop_metadata(Instruction *To, Instruction **From, size_t N) {
  SmallVector<Metadata *> Kept{nullptr};
  MDNode *First = From[0]->getMetadata(LLVMContext::MD_loop);
  for (unsigned At = 1; First && At < First->getNumOperands(); At++) {
    Metadata *Property = First->getOperand(At);
    bool Holds = true;
    if (auto *Named = dyn_cast_or_null<MDNode>(Property); Named && !isa<DILocation>(Named)) {
      auto *Name = Named->getNumOperands() ? dyn_cast_or_null<MDString>(Named->getOperand(0)) : nullptr;
      Holds = Name && Name->getString() != "llvm.loop.parallel_accesses";
      for (size_t Other = 1; Holds && Other < N; Other++) {
        MDNode *Node = From[Other]->getMetadata(LLVMContext::MD_loop);
        Holds = Node && is_contained(Node->operands(), Property);
      }
    }
    if (Holds)
      Kept.push_back(Property);
  }
  MDNode *New = nullptr;
  if (Kept.size() > 1) {
    New = MDNode::getDistinct(To->getContext(), Kept);
    New->replaceOperandWith(0, New);
  }
  To->setMetadata(LLVMContext::MD_loop, New);
}
// The loop is not unrolled, and only if `OnVectors` it is vectorised, whatever else is said of it.
void frit_run_plainly(Instruction *Latch, bool OnVectors) {
  LLVMContext &C = Latch->getContext();
  auto Property = [&](const char *Name, Constant *Value) -> MDNode * {
    return MDNode::get(C, {MDString::get(C, Name), ConstantAsMetadata::get(Value)});
  };
  MDNode *Vectors = OnVectors ? Property("llvm.loop.interleave.count", ConstantInt::get(Type::getInt32Ty(C), 1))
                              : Property("llvm.loop.vectorize.enable", ConstantInt::getFalse(C));
  MDNode *Once = MDNode::get(C, {MDString::get(C, "llvm.loop.unroll.disable")});
  StringRef Dropped[] = {"llvm.loop.interleave.", "llvm.loop.unroll.", OnVectors ? "llvm.loop.unroll." : "llvm.loop.vectorize."};
  Latch->setMetadata(LLVMContext::MD_loop,
                     makePostTransformationMetadata(C, Latch->getMetadata(LLVMContext::MD_loop), Dropped, {Vectors, Once}));
}
// The load is used for another one, of the same place, as well: it promises what both do.
void frit_take_over(Instruction *Load, Instruction *Other) { combineMetadataForCSE(Load, Other, false); }
// The place in the source.
void frit_copy_location(Instruction *To, Instruction *From) { To->setDebugLoc(From->getDebugLoc()); }
}
