// What the Rust side of the pass asks of LLVM beyond its C API. Facts and small edits only: what is fused, and how, is
// decided and done in Rust. `src/sys.rs` declares the same functions.
#pragma once

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/BasicAliasAnalysis.h"
#include "llvm/Analysis/DependenceAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/MemorySSA.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScopedNoAliasAA.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TypeBasedAliasAnalysis.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"
#include <memory>

// The analyses of one function. They are the pass's own, so that no state of a pass manager is touched while it works.
struct Analyses {
  llvm::Function &F;
  llvm::TargetLibraryInfoImpl TLII;
  llvm::TargetLibraryInfo TLI;
  llvm::AssumptionCache AC;
  llvm::DominatorTree DT;
  llvm::PostDominatorTree PDT;
  llvm::LoopInfo LI;
  llvm::ScalarEvolution SE;
  llvm::BasicAAResult BAA;
  llvm::TypeBasedAAResult TBAA;
  llvm::ScopedNoAliasAAResult SNAA;
  llvm::AAResults AA;
  std::unique_ptr<llvm::DependenceInfo> DI;
  std::unique_ptr<llvm::MemorySSA> MSSA;
  std::unique_ptr<llvm::SCEVExpander> Expander;

  explicit Analyses(llvm::Function &F)
      : F(F), TLII(llvm::Triple(F.getParent()->getTargetTriple())), TLI(TLII, &F), AC(F), DT(F), PDT(F), LI(DT),
        SE(F, TLI, AC, DT, LI), BAA(F.getDataLayout(), F, TLI, AC, &DT), TBAA(), SNAA(), AA(TLI) {
    AA.addAAResult(BAA);
    AA.addAAResult(SNAA);
    AA.addAAResult(TBAA);
  }
};

extern "C" void frit_delete_all_dead(llvm::Value **Values, size_t N);
