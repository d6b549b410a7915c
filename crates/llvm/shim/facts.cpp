// Facts about control flow, loops, instructions and aliases.
#include "shim.h"
#include "llvm/Analysis/IVDescriptors.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace {
// The memory an instruction may touch at any time: the object of its pointer, whatever the iteration.
MemoryLocation whereverItGoes(const Instruction *I, const Value *Ptr, bool DropScopes) {
  // Tags of a call are about all that it touches, and hold for one place as well.
  AAMDNodes Tags = I->getAAMetadata();
  if (DropScopes) {
    Tags.Scope = nullptr;
    Tags.NoAlias = nullptr;
  }
  return MemoryLocation::getBeforeOrAfter(Ptr, Tags);
}
} // namespace

extern "C" {

Analyses *frit_analyses_new(Function *F) { return new Analyses(*F); }
void frit_analyses_free(Analyses *A) { delete A; }

// Loops.
Loop *frit_loop_for(Analyses *A, BasicBlock *B) { return A->LI.getLoopFor(B); }
Loop *frit_loop_parent(Loop *L) { return L->getParentLoop(); }
size_t frit_loop_children(Loop *L, Loop **Out, size_t Room) {
  size_t N = 0;
  for (Loop *Child : *L) {
    if (N < Room)
      Out[N] = Child;
    N++;
  }
  return N;
}
BasicBlock *frit_loop_header(Loop *L) { return L->getHeader(); }
BasicBlock *frit_loop_latch(Loop *L) { return L->getLoopLatch(); }
BasicBlock *frit_loop_preheader(Loop *L) { return L->getLoopPreheader(); }
BasicBlock *frit_loop_exiting(Loop *L) { return L->getExitingBlock(); }
BasicBlock *frit_loop_exit(Loop *L) { return L->getUniqueExitBlock(); }
bool frit_loop_contains(Loop *L, BasicBlock *B) { return L->contains(B); }
bool frit_loop_has_dedicated_exits(Loop *L) { return L->hasDedicatedExits(); }
bool frit_loop_is_simplified(Loop *L) { return L->isLoopSimplifyForm(); }
bool frit_loop_is_lcssa(Analyses *A, Loop *L) { return L->isRecursivelyLCSSAForm(A->DT, A->LI); }
bool frit_loop_must_progress(Loop *L) {
  return L->getHeader()->getParent()->mustProgress() || hasMustProgress(L);
}
size_t frit_loop_blocks(Loop *L, BasicBlock **Out, size_t Room) {
  size_t N = 0;
  for (BasicBlock *B : L->blocks()) {
    if (N < Room)
      Out[N] = B;
    N++;
  }
  return N;
}
// 0 no recurrence that a vectoriser knows, 1 induction, 2 reduction, 3 value of an iteration before, 4 reduction in order.
unsigned frit_phi_kind(Analyses *A, Loop *L, PHINode *Phi) {
  InductionDescriptor Induction;
  if (InductionDescriptor::isInductionPHI(Phi, L, &A->SE, Induction))
    return 1;
  RecurrenceDescriptor Reduction;
  if (RecurrenceDescriptor::isReductionPHI(Phi, L, Reduction, nullptr, &A->AC, &A->DT, &A->SE))
    return Reduction.hasExactFPMath() ? 4 : 2;
  if (RecurrenceDescriptor::isFixedOrderRecurrence(Phi, L, &A->DT))
    return 3;
  return 0;
}

// Dominance.
bool frit_dominates(Analyses *A, BasicBlock *X, BasicBlock *Y) { return A->DT.dominates(X, Y); }
bool frit_dominates_instruction(Analyses *A, Instruction *X, Instruction *Y) { return A->DT.dominates(X, Y); }
bool frit_is_reachable(Analyses *A, BasicBlock *B) { return A->DT.isReachableFromEntry(B); }
BasicBlock *frit_immediate_dominator(Analyses *A, BasicBlock *B) {
  DomTreeNode *N = A->DT.getNode(B);
  return N && N->getIDom() ? N->getIDom()->getBlock() : nullptr;
}
BasicBlock *frit_immediate_post_dominator(Analyses *A, BasicBlock *B) {
  DomTreeNode *N = A->PDT.getNode(B);
  if (!N || !N->getIDom())
    return nullptr;
  return N->getIDom()->getBlock();
}

// Instructions.
bool frit_may_throw(Instruction *I) { return I->mayThrow(); }
bool frit_will_return(Instruction *I) { return I->willReturn(); }
bool frit_reads(Instruction *I) { return I->mayReadFromMemory(); }
bool frit_writes(Instruction *I) { return I->mayWriteToMemory(); }
bool frit_is_volatile(Instruction *I) { return I->isVolatile(); }
bool frit_is_convergent(Instruction *I) {
  auto *Call = dyn_cast<CallBase>(I);
  return Call && (Call->isConvergent() || Call->cannotDuplicate());
}
// Its order among threads: 0 none, 1 unordered, 2 monotonic, 3 stronger, and fences.
unsigned frit_ordering(Instruction *I) {
  auto Rank = [](AtomicOrdering O) -> unsigned {
    switch (O) {
    case AtomicOrdering::NotAtomic: return 0;
    case AtomicOrdering::Unordered: return 1;
    case AtomicOrdering::Monotonic: return 2;
    default: return 3;
    }
  };
  if (auto *L = dyn_cast<LoadInst>(I)) return Rank(L->getOrdering());
  if (auto *S = dyn_cast<StoreInst>(I)) return Rank(S->getOrdering());
  if (auto *R = dyn_cast<AtomicRMWInst>(I)) return Rank(R->getOrdering());
  if (auto *C = dyn_cast<AtomicCmpXchgInst>(I)) return std::max(Rank(C->getSuccessOrdering()), Rank(C->getFailureOrdering()));
  return isa<FenceInst>(I) ? 3 : 0;
}
// Intrinsics that stand for no code: debug information, assumptions, lifetimes, scopes.
bool frit_is_marker(Instruction *I) {
  auto *Call = dyn_cast<IntrinsicInst>(I);
  if (!Call)
    return false;
  switch (Call->getIntrinsicID()) {
  case Intrinsic::assume: case Intrinsic::sideeffect: case Intrinsic::pseudoprobe: case Intrinsic::donothing:
  case Intrinsic::dbg_declare: case Intrinsic::dbg_value: case Intrinsic::dbg_label: case Intrinsic::dbg_assign:
  case Intrinsic::experimental_noalias_scope_decl: case Intrinsic::annotation: case Intrinsic::var_annotation:
    return true;
  default: return false;
  }
}
bool frit_is_scope_declaration(Instruction *I) { return isa<NoAliasScopeDeclInst>(I); }
bool frit_is_lifetime_marker(Instruction *I) { return I->isLifetimeStartOrEnd(); }
bool frit_is_speculatable(Instruction *I) { return isSafeToSpeculativelyExecute(I); }
bool frit_can_be_vectorised(Analyses *A, Instruction *I) {
  auto *Call = dyn_cast<CallInst>(I);
  if (!Call)
    return true;
  return getVectorIntrinsicIDForCall(Call, &A->TLI) != Intrinsic::not_intrinsic ||
         !VFDatabase::getMappings(*Call).empty();
}
// Does the call, of a function of the mathematical library, write nothing but `errno`?
bool frit_sets_errno(Analyses *A, Instruction *I) {
  auto *Call = dyn_cast<CallInst>(I);
  LibFunc Known;
  if (!Call || !A->TLI.getLibFunc(*Call, Known))
    return false;
#define ALL_WIDTHS(Name) case LibFunc_##Name: case LibFunc_##Name##f: case LibFunc_##Name##l:
  switch (Known) {
  ALL_WIDTHS(acos) ALL_WIDTHS(acosh) ALL_WIDTHS(asin) ALL_WIDTHS(asinh) ALL_WIDTHS(atan) ALL_WIDTHS(atan2) ALL_WIDTHS(atanh)
  ALL_WIDTHS(cos) ALL_WIDTHS(cosh) ALL_WIDTHS(exp) ALL_WIDTHS(exp10) ALL_WIDTHS(exp2) ALL_WIDTHS(expm1) ALL_WIDTHS(fmod)
  ALL_WIDTHS(ldexp) ALL_WIDTHS(log) ALL_WIDTHS(log10) ALL_WIDTHS(log1p) ALL_WIDTHS(log2) ALL_WIDTHS(logb) ALL_WIDTHS(pow)
  ALL_WIDTHS(remainder) ALL_WIDTHS(sin) ALL_WIDTHS(sinh) ALL_WIDTHS(sqrt) ALL_WIDTHS(tan) ALL_WIDTHS(tanh)
    return true;
  default: return false;
  }
#undef ALL_WIDTHS
}
// Bytes that a load, a store or an atomic touches; 0 if that is not a constant.
uint64_t frit_access_size(Instruction *I) {
  Type *T = nullptr;
  if (auto *L = dyn_cast<LoadInst>(I)) T = L->getType();
  else if (auto *S = dyn_cast<StoreInst>(I)) T = S->getValueOperand()->getType();
  else if (auto *R = dyn_cast<AtomicRMWInst>(I)) T = R->getValOperand()->getType();
  else if (auto *C = dyn_cast<AtomicCmpXchgInst>(I)) T = C->getCompareOperand()->getType();
  if (!T)
    return 0;
  TypeSize Size = I->getDataLayout().getTypeStoreSize(T);
  return Size.isScalable() ? 0 : Size.getFixedValue();
}
// `memset`, `memcpy` and `memmove` of constant length: what is written, and what is read, if something is. 0 for all else.
uint64_t frit_block_operation(Instruction *I, Value **Target, Value **Source) {
  auto *Op = dyn_cast<MemIntrinsic>(I);
  auto *Length = Op ? dyn_cast<ConstantInt>(Op->getLength()) : nullptr;
  if (!Length || Op->isVolatile())
    return 0;
  *Target = Op->getRawDest();
  auto *Transfer = dyn_cast<MemTransferInst>(Op);
  *Source = Transfer ? Transfer->getRawSource() : nullptr;
  return Length->getZExtValue();
}
Value *frit_access_pointer(Instruction *I) {
  if (auto *R = dyn_cast<AtomicRMWInst>(I)) return R->getPointerOperand();
  if (auto *C = dyn_cast<AtomicCmpXchgInst>(I)) return C->getPointerOperand();
  return const_cast<Value *>(getLoadStorePointerOperand(I));
}
// The allocation (alloca, malloc and the like) or other origin that a pointer is into.
Value *frit_underlying_object(Value *V) { return const_cast<Value *>(getUnderlyingObject(V, 0)); }
// 0 none, 1 alloca, 2 allocated by a call that leaves its memory undefined, 3 allocated and zero.
unsigned frit_allocation_kind(Analyses *A, Value *V) {
  if (isa<AllocaInst>(V))
    return 1;
  auto *Call = dyn_cast<CallBase>(V);
  if (!Call)
    return 0;
  LibFunc Known;
  if (!A->TLI.getLibFunc(*Call, Known))
    return 0;
  switch (Known) {
  case LibFunc_malloc: case LibFunc_aligned_alloc: case LibFunc_memalign: return 2;
  case LibFunc_calloc: return 3;
  default: return 0;
  }
}
bool frit_is_free(Analyses *A, Instruction *I) {
  auto *Call = dyn_cast<CallBase>(I);
  LibFunc Known;
  return Call && A->TLI.getLibFunc(*Call, Known) && Known == LibFunc_free;
}

// Aliases. Both instructions may be in any iteration of loops around them. The pointers are what they access, or null where
// that is not one place.
bool frit_may_alias(Analyses *A, Instruction *X, Value *PX, Instruction *Y, Value *PY, bool DropScopes) {
  if (PX && PY)
    return !A->AA.isNoAlias(whereverItGoes(X, PX, DropScopes), whereverItGoes(Y, PY, DropScopes));
  auto *CX = dyn_cast<CallBase>(X), *CY = dyn_cast<CallBase>(Y);
  if (CX && !PX && CY && !PY)
    return isModOrRefSet(A->AA.getModRefInfo(CX, CY)) || isModOrRefSet(A->AA.getModRefInfo(CY, CX));
  CallBase *Call = CX && !PX ? CX : CY && !PY ? CY : nullptr;
  Instruction *Other = Call == X ? Y : X;
  Value *Place = Call == X ? PY : PX;
  if (!Call || !Place)
    return true;
  ModRefInfo Info = A->AA.getModRefInfo(Call, whereverItGoes(Other, Place, DropScopes));
  return Other->mayWriteToMemory() ? isModOrRefSet(Info) : isModSet(Info);
}

// Does the later of two loads of one place, the first of which dominates it, yield what the first did? Nothing between them writes
// there then.
bool frit_same_load(Analyses *A, LoadInst *First, LoadInst *Later) {
  if (!A->MSSA)
    A->MSSA = std::make_unique<MemorySSA>(A->F, &A->AA, &A->DT);
  MemoryAccess *Writer = A->MSSA->getWalker()->getClobberingMemoryAccess(Later);
  return A->MSSA->dominates(Writer, A->MSSA->getMemoryAccess(First));
}

// What LLVM's own dependence analysis says: may there be a dependence?
bool frit_llvm_dependence(Analyses *A, Instruction *X, Instruction *Y) {
  if (!A->DI)
    A->DI = std::make_unique<DependenceInfo>(&A->F, &A->AA, &A->SE, &A->LI);
  return A->DI->depends(X, Y, true) != nullptr;
}
}
