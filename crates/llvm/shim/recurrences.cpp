// ScalarEvolution: how values and addresses move with the iterations, read node by node, and built into code.
#include "shim.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace {
SCEVExpander &expander(Analyses *A) {
  if (!A->Expander)
    A->Expander = std::make_unique<SCEVExpander>(A->SE, A->F.getDataLayout(), "frit");
  return *A->Expander;
}

// The least and the greatest address of S over all iterations of loops in Outer.
bool extremes(Analyses *A, const SCEV *S, const Loop *Outer, const SCEV *&Low, const SCEV *&High, unsigned Depth) {
  ScalarEvolution &SE = A->SE;
  if (SE.isLoopInvariant(S, Outer)) {
    Low = High = S;
    return true;
  }
  auto *Rec = dyn_cast<SCEVAddRecExpr>(S);
  if (!Rec || !Rec->isAffine() || Depth > 4 || !Outer->contains(Rec->getLoop()))
    return false;
  const SCEV *Count = SE.getBackedgeTakenCount(Rec->getLoop());
  const SCEV *Step = Rec->getStepRecurrence(SE);
  if (isa<SCEVCouldNotCompute>(Count) || !SE.isLoopInvariant(Count, Outer) || !SE.isLoopInvariant(Step, Outer))
    return false;
  Type *Wide = Step->getType();
  if (SE.getTypeSizeInBits(Count->getType()) > SE.getTypeSizeInBits(Wide))
    return false;
  const SCEV *Way = SE.getMulExpr(SE.getNoopOrZeroExtend(Count, Wide), Step);
  const SCEV *StartLow, *StartHigh;
  if (!extremes(A, Rec->getStart(), Outer, StartLow, StartHigh, Depth + 1))
    return false;
  const SCEV *EndLow = SE.getAddExpr(StartLow, Way), *EndHigh = SE.getAddExpr(StartHigh, Way);
  if (SE.isKnownNonNegative(Step)) {
    Low = StartLow;
    High = EndHigh;
  } else if (SE.isKnownNonPositive(Step)) {
    Low = EndLow;
    High = StartHigh;
  } else {
    Low = SE.getUMinExpr(StartLow, EndLow);
    High = SE.getUMaxExpr(StartHigh, EndHigh);
  }
  return true;
}
} // namespace

extern "C" {
// Reading.
const SCEV *frit_scev(Analyses *A, Value *V, Loop *Scope) {
  if (!A->SE.isSCEVable(V->getType()))
    return nullptr;
  return A->SE.getSCEVAtScope(V, Scope);
}
// How often the loop goes back: null if that cannot be computed.
const SCEV *frit_backedge_count(Analyses *A, Loop *L) {
  const SCEV *S = A->SE.getBackedgeTakenCount(L);
  return isa<SCEVCouldNotCompute>(S) ? nullptr : S;
}
// Does it depend on a value that is computed in the block, in a way that ScalarEvolution does not see through?
bool frit_count_needs(Analyses *A, Loop *L, BasicBlock *B) {
  const SCEV *Count = A->SE.getBackedgeTakenCount(L);
  return !isa<SCEVCouldNotCompute>(Count) && SCEVExprContains(Count, [&](const SCEV *S) {
    auto *Unknown = dyn_cast<SCEVUnknown>(S);
    auto *I = Unknown ? dyn_cast<Instruction>(Unknown->getValue()) : nullptr;
    return I && I->getParent() == B;
  });
}
unsigned frit_scev_kind(const SCEV *S) { return S->getSCEVType(); }
void frit_scev_kinds(unsigned *Out) {
  unsigned Kinds[] = {scConstant, scAddExpr, scMulExpr, scAddRecExpr, scZeroExtend, scSignExtend, scSMaxExpr, scUMaxExpr};
  std::copy(std::begin(Kinds), std::end(Kinds), Out);
}
size_t frit_scev_operands(const SCEV *S, const SCEV **Out, size_t Room) {
  size_t N = 0;
  for (const SCEV *Op : S->operands()) {
    if (N < Room)
      Out[N] = Op;
    N++;
  }
  return N;
}
// The value of a constant that fits in 64 bits, signed.
bool frit_scev_constant(const SCEV *S, int64_t *Out) {
  auto *C = dyn_cast<SCEVConstant>(S);
  if (!C || C->getAPInt().getSignificantBits() > 64)
    return false;
  *Out = C->getAPInt().getSExtValue();
  return true;
}
Loop *frit_scev_loop(const SCEV *S) {
  auto *Rec = dyn_cast<SCEVAddRecExpr>(S);
  return Rec && Rec->isAffine() ? const_cast<Loop *>(Rec->getLoop()) : nullptr;
}
uint64_t frit_scev_bits(Analyses *A, const SCEV *S) { return A->SE.getTypeSizeInBits(S->getType()); }
bool frit_scev_same_type(const SCEV *X, const SCEV *Y) { return X->getType() == Y->getType(); }
bool frit_scev_invariant(Analyses *A, const SCEV *S, Loop *L) { return A->SE.isLoopInvariant(S, L); }
const SCEV *frit_pointer_base(Analyses *A, const SCEV *S) {
  return S->getType()->isPointerTy() ? A->SE.getPointerBase(S) : nullptr;
}
const SCEV *frit_remove_base(Analyses *A, const SCEV *S) { return A->SE.removePointerBase(S); }
void frit_scev_range(Analyses *A, const SCEV *S, int64_t *Low, int64_t *High) {
  ConstantRange R = A->SE.getSignedRange(S);
  *Low = R.getSignedMin().getSignificantBits() > 64 ? INT64_MIN : R.getSignedMin().getSExtValue();
  *High = R.getSignedMax().getSignificantBits() > 64 ? INT64_MAX : R.getSignedMax().getSExtValue();
}
// Is the count, as the loop's guards bound it, no negative number when it is read with a sign?
bool frit_count_fits(Analyses *A, const SCEV *S, Loop *L) {
  if (A->SE.getTypeSizeInBits(S->getType()) > 64)
    return false;
  return A->SE.getUnsignedRangeMax(A->SE.applyLoopGuards(S, L)).isNonNegative();
}
// Is it no negative number, read with a sign, wherever the loop is entered?
bool frit_known_non_negative(Analyses *A, const SCEV *S, Loop *L) {
  ScalarEvolution &SE = A->SE;
  return SE.isKnownNonNegative(S) || SE.isKnownNonNegative(SE.applyLoopGuards(S, L)) ||
         SE.isLoopEntryGuardedByCond(L, ICmpInst::ICMP_SGE, S, SE.getZero(S->getType()));
}
// Is X at least Y wherever the loop is entered?
bool frit_known_at_least(Analyses *A, const SCEV *X, const SCEV *Y, bool Signed, Loop *L) {
  ICmpInst::Predicate P = Signed ? ICmpInst::ICMP_SGE : ICmpInst::ICMP_UGE;
  auto Known = [&](ICmpInst::Predicate P, const SCEV *Y) {
    return A->SE.isKnownPredicate(P, X, Y) || A->SE.isLoopEntryGuardedByCond(L, P, X, Y);
  };
  if (Known(P, Y))
    return true;
  // Two guards together: at least one less, and not equal to that.
  auto *C = dyn_cast<SCEVConstant>(Y);
  if (!C || (Signed ? C->getAPInt().isMinSignedValue() : C->getAPInt().isZero()))
    return false;
  const SCEV *Less = A->SE.getConstant(C->getAPInt() - 1);
  return Known(P, Less) && Known(ICmpInst::ICMP_NE, Less);
}
// Building.
const SCEV *frit_scev_minus(Analyses *A, const SCEV *X, const SCEV *Y) { return A->SE.getMinusSCEV(X, Y); }
const SCEV *frit_scev_add(Analyses *A, const SCEV *X, const SCEV *Y) { return A->SE.getAddExpr(X, Y); }
const SCEV *frit_scev_mul(Analyses *A, const SCEV *X, const SCEV *Y) { return A->SE.getMulExpr(X, Y); }
const SCEV *frit_scev_umin(Analyses *A, const SCEV *X, const SCEV *Y) { return A->SE.getUMinExpr(X, Y); }
const SCEV *frit_scev_umax(Analyses *A, const SCEV *X, const SCEV *Y) { return A->SE.getUMaxExpr(X, Y); }
const SCEV *frit_scev_number(Analyses *A, int64_t N, unsigned Bits) {
  return A->SE.getConstant(APInt(Bits, N, true));
}
const SCEV *frit_scev_zext(Analyses *A, const SCEV *S, unsigned Bits) {
  return A->SE.getNoopOrZeroExtend(S, IntegerType::get(A->F.getContext(), Bits));
}
const SCEV *frit_scev_sext(Analyses *A, const SCEV *S, unsigned Bits) {
  return A->SE.getNoopOrSignExtend(S, IntegerType::get(A->F.getContext(), Bits));
}
// Start and step of a header phi that is an affine recurrence of L.
bool frit_recurrence(Analyses *A, PHINode *Phi, Loop *L, const SCEV **Start, const SCEV **Step) {
  if (!A->SE.isSCEVable(Phi->getType()))
    return false;
  auto *Rec = dyn_cast<SCEVAddRecExpr>(A->SE.getSCEV(Phi));
  if (!Rec || !Rec->isAffine() || Rec->getLoop() != L)
    return false;
  *Start = Rec->getStart();
  *Step = Rec->getStepRecurrence(A->SE);
  return true;
}
bool frit_known_equal(Analyses *A, const SCEV *X, const SCEV *Y, Instruction *At) {
  if (X == Y)
    return true;
  if (X->getType() != Y->getType())
    return false;
  return A->SE.isKnownPredicateAt(ICmpInst::ICMP_EQ, X, Y, At);
}
// Is the comparison known to have this result wherever `At` is executed?
bool frit_known_condition(Analyses *A, ICmpInst *Cmp, bool Result, Instruction *At) {
  if (!A->SE.isSCEVable(Cmp->getOperand(0)->getType()))
    return false;
  CmpInst::Predicate P = Result ? Cmp->getPredicate() : Cmp->getInversePredicate();
  const SCEV *X = A->SE.getSCEV(Cmp->getOperand(0)), *Y = A->SE.getSCEV(Cmp->getOperand(1));
  return A->SE.isKnownPredicateAt(P, X, Y, At);
}
// Do both comparisons compare the same?
bool frit_same_condition(Analyses *A, ICmpInst *X, ICmpInst *Y) {
  if (!A->SE.isSCEVable(X->getOperand(0)->getType()) || X->getOperand(0)->getType() != Y->getOperand(0)->getType())
    return false;
  const SCEV *X0 = A->SE.getSCEV(X->getOperand(0)), *X1 = A->SE.getSCEV(X->getOperand(1));
  const SCEV *Y0 = A->SE.getSCEV(Y->getOperand(0)), *Y1 = A->SE.getSCEV(Y->getOperand(1));
  return (X->getPredicate() == Y->getPredicate() && X0 == Y0 && X1 == Y1) ||
         (X->getSwappedPredicate() == Y->getPredicate() && X0 == Y1 && X1 == Y0);
}
bool frit_extremes(Analyses *A, const SCEV *S, Loop *Outer, const SCEV **Low, const SCEV **High) {
  return extremes(A, S, Outer, *Low, *High, 0);
}
bool frit_can_expand(Analyses *A, const SCEV *S, Instruction *At, unsigned Budget) {
  if (!expander(A).isSafeToExpandAt(S, At))
    return false;
  unsigned Size = 0;
  SmallVector<const SCEV *> Work{S};
  while (!Work.empty()) {
    const SCEV *Top = Work.pop_back_val();
    if (++Size > Budget)
      return false;
    for (const SCEV *Op : Top->operands())
      Work.push_back(Op);
  }
  return true;
}
Value *frit_expand(Analyses *A, const SCEV *S, Instruction *At) {
  return expander(A).expandCodeFor(S, S->getType(), At->getIterator());
}
// Expanded values that nobody uses go.
void frit_delete_expanded(Analyses *A, Value **Values, size_t N) {
  // The expander must not find them again.
  A->Expander.reset();
  frit_delete_all_dead(Values, N);
}
}
