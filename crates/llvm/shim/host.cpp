// Where the pass is called from: opt, clang, and the project's own command; and the remarks that it leaves there.
#include "shim.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMRemarkStreamer.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Remarks/RemarkStreamer.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/ToolOutputFile.h"
#include <cstring>

using namespace llvm;

extern "C" bool frit_fuse_function(Function *F, OptimizationRemarkEmitter *Remarks);
extern "C" void frit_set_option(const char *Name, const char *Value);

namespace {
// The options of the plugin: `-mllvm -frit-...` in clang. Their values go to Rust as they are.
struct Option {
  cl::opt<std::string> Opt;
  const char *Name;
  Option(const char *Name, const char *Help)
      : Opt(StringRef(Name), cl::desc(Help), cl::Hidden), Name(Name) {}
};

struct Options {
  Option Fuse{"frit-fuse", "fuse `profitable` loops, or `always` where it is legal"};
  Option Peel{"frit-fuse-peel-max-count", "iterations that loops may be shifted or peeled by, at most"};
  Option Dependences{"frit-fuse-dependence-analysis", "`exact`, or for comparison `da`, `scev` or `all`"};
  Option Checks{"frit-fuse-runtime-checks", "`on` or `off`: overlap checks at run time, with the original code as fall-back"};
  Option Contract{"frit-fuse-contract", "`on` or `off`: forward stores to loads, remove private arrays"};
  Option Size{"frit-fuse-region-size", "loops, with what is between them, that are planned together, about"};
  Option Limit{"frit-fuse-limit", "stop after so many fusions"};
  Option Log{"frit-fuse-log", "write the decision log to this file"};
  Option Verbose{"frit-fuse-verbose", "`on`: a line for every function on standard error"};

  void pass() {
    for (Option *O : {&Fuse, &Peel, &Dependences, &Checks, &Contract, &Size, &Limit, &Log, &Verbose})
      if (O->Opt.getNumOccurrences())
        frit_set_option(O->Name, O->Opt.c_str());
  }
};

// Made when the plugin is loaded, so that the command line may name them.
Options All;

// Objects that a pointer may be into, and those that hold the pointers to these, and so on; null stands for all others.
void roots(const Value *Pointer, SmallPtrSetImpl<const Value *> &Out) {
  SmallVector<const Value *> Work{Pointer};
  SmallPtrSet<const Value *, 16> Seen;
  while (!Work.empty()) {
    if (Seen.size() > 32) {
      Out.insert(nullptr);
      return;
    }
    SmallVector<const Value *> Objects;
    getUnderlyingObjects(Work.pop_back_val(), Objects);
    for (const Value *Object : Objects) {
      if (!Seen.insert(Object).second)
        continue;
      if (auto *Load = dyn_cast<LoadInst>(Object))
        Work.push_back(Load->getPointerOperand());
      else
        Out.insert(isa<IntToPtrInst>(Object) ? nullptr : Object);
    }
  }
}

// From one iteration to the next some value grows, so that iterations may be counted.
bool counts(const Loop *L) {
  BasicBlock *Latch = L->getLoopLatch();
  if (!Latch)
    return false;
  for (PHINode &Phi : L->getHeader()->phis()) {
    const Value *Next = Phi.getIncomingValueForBlock(Latch);
    for (unsigned Depth = 0; Depth < 8; Depth++) {
      if (Next == &Phi)
        return true;
      auto *I = dyn_cast<Instruction>(Next);
      if (!I || !L->contains(I) || !isa<BinaryOperator, CastInst, GetElementPtrInst, PHINode>(I))
        break;
      if (isa<PHINode>(I))
        return true;
      const Value *First = I->getOperand(0);
      bool Fixed = !isa<BinaryOperator>(I) || (isa<Instruction>(First) && L->contains(cast<Instruction>(First)));
      Next = Fixed ? First : I->getOperand(1);
    }
  }
  return false;
}

// What a loop, or a call that fills memory, may touch; nothing where it is sure that it is fused with no other one.
void touched(const Loop *L, SmallPtrSetImpl<const Value *> &Out) {
  SmallVector<BasicBlock *> Exiting;
  L->getExitingBlocks(Exiting);
  auto Leaves = [&](BasicBlock *B) {
    return any_of(successors(B), [&](BasicBlock *To) { return !L->contains(To) && !isa<UnreachableInst>(To->front()); });
  };
  if (count_if(Exiting, Leaves) != 1 || !counts(L))
    return;
  SmallPtrSet<const Value *, 8> Found, Pointers;
  for (BasicBlock *B : L->blocks())
    for (Instruction &I : *B) {
      if (I.mayThrow() || I.isVolatile() || (!I.willReturn() && !I.isTerminator()))
        return;
      const Value *Pointer = getLoadStorePointerOperand(&I);
      if (Pointer && Pointers.insert(Pointer->stripPointerCasts()).second)
        roots(Pointer, Found);
    }
  Out.insert(Found.begin(), Found.end());
}

// Quickly: may two loops that follow each other share memory? Most functions have no such loops, and are not looked at further.
bool mayShare(Function &F, LoopInfo &LI) {
  if (LI.empty())
    return false;
  struct Part {
    const Loop *Around;
    SmallPtrSet<const Value *, 8> Objects;
  };
  SmallVector<Part> Parts;
  for (Loop *L : LI.getLoopsInPreorder()) {
    Parts.emplace_back();
    Parts.back().Around = L->getParentLoop();
    // A loop alone in the one around it has nothing beside it.
    touched(L, Parts.back().Objects);
  }
  for (BasicBlock &B : F)
    for (Instruction &I : B)
      if (auto *Op = dyn_cast<MemIntrinsic>(&I)) {
        Parts.emplace_back();
        Parts.back().Around = LI.getLoopFor(&B);
        roots(Op->getRawDest(), Parts.back().Objects);
        if (auto *Move = dyn_cast<MemTransferInst>(Op))
          roots(Move->getRawSource(), Parts.back().Objects);
      }
  DenseMap<std::pair<const Loop *, const Value *>, unsigned> Known;
  DenseMap<const Loop *, unsigned> Some;
  for (Part &P : Parts) {
    if (P.Objects.empty())
      continue;
    bool Unknown = P.Objects.count(nullptr);
    if (Some[P.Around]++ && (Unknown || Known.count({P.Around, nullptr})))
      return true;
    for (const Value *Object : P.Objects)
      if (Known[{P.Around, Object}]++)
        return true;
  }
  return false;
}

struct LoopFusion : PassInfoMixin<LoopFusion> {
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &FAM) {
    All.pass();
    auto &Remarks = FAM.getResult<OptimizationRemarkEmitterAnalysis>(F);
    // Where nobody asks why, what is sure to stay apart is not looked at.
    bool Asked = Remarks.allowExtraAnalysis("frit-loop-fusion") || All.Log.Opt.getNumOccurrences() ||
                 All.Verbose.Opt.getNumOccurrences() || All.Fuse.Opt == "always";
    if (!Asked && !mayShare(F, FAM.getResult<LoopAnalysis>(F)))
      return PreservedAnalyses::all();
    return frit_fuse_function(&F, &Remarks) ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
  static bool isRequired() { return false; }
};
} // namespace

extern "C" {

void frit_register_callbacks(PassBuilder &PB) {
  PB.registerPipelineParsingCallback([](StringRef Name, FunctionPassManager &FPM, ArrayRef<PassBuilder::PipelineElement>) {
    if (Name != "frit-loop-fusion")
      return false;
    FPM.addPass(LoopFusion());
    return true;
  });
  // Loops are simple here, calls are inlined, and nothing is vectorised yet.
  PB.registerVectorizerStartEPCallback([](FunctionPassManager &FPM, OptimizationLevel Level) {
    if (Level != OptimizationLevel::O0)
      FPM.addPass(LoopFusion());
  });
}

// Remarks. Kind: 0 passed, 1 missed.
void frit_remark(OptimizationRemarkEmitter *Emitter, unsigned Kind, const char *Name, Instruction *At, const char *Text) {
  if (!Emitter)
    return;
  // Where the loop begins that `At` closes, as the remarks of LLVM's passes.
  DebugLoc Where;
  MDNode *Loop = At->getMetadata(LLVMContext::MD_loop);
  for (unsigned Op = 1; !Where && Loop && Op < Loop->getNumOperands(); Op++)
    if (auto *Start = dyn_cast_or_null<DILocation>(Loop->getOperand(Op).get()))
      Where = DebugLoc(Start);
  if (!Where)
    Where = At->getDebugLoc();
  for (auto It = At->getIterator(), End = At->getParent()->end(); !Where && It != End; ++It)
    Where = It->getDebugLoc();
  if (Kind == 0)
    Emitter->emit([&]() {
      return OptimizationRemark("frit-loop-fusion", Name, Where, At->getParent()) << StringRef(Text);
    });
  else
    Emitter->emit([&]() {
      return OptimizationRemarkMissed("frit-loop-fusion", Name, Where, At->getParent()) << StringRef(Text);
    });
}
OptimizationRemarkEmitter *frit_emitter_new(Function *F) { return new OptimizationRemarkEmitter(F); }
void frit_emitter_free(OptimizationRemarkEmitter *Emitter) { delete Emitter; }

// Where an instruction is in the source or, if `Called`, where the function that it is in calls the one that it was written in: the line, 0 if
// unknown; the file's path is to be released.
static unsigned location(const DILocation *Where, bool Called, unsigned *Column, char **File) {
  if (Where && Called)
    for (Where = Where->getInlinedAt(); Where && Where->getInlinedAt();)
      Where = Where->getInlinedAt();
  if (!Where || !Where->getLine())
    return 0;
  *Column = Where->getColumn();
  SmallString<128> Path(Where->getFilename());
  if (sys::path::is_relative(Path) && !Where->getDirectory().empty()) {
    Path = Where->getDirectory();
    sys::path::append(Path, Where->getFilename());
  }
  *File = strdup(Path.c_str());
  return Where->getLine();
}
unsigned frit_location(Instruction *I, bool Called, unsigned *Column, char **File) {
  return location(I->getDebugLoc(), Called, Column, File);
}
unsigned frit_loop_start(Instruction *Latch, bool Called, unsigned *Column, char **File) {
  MDNode *Loop = Latch->getMetadata(LLVMContext::MD_loop);
  for (unsigned At = 1; Loop && At < Loop->getNumOperands(); At++)
    if (auto *Where = dyn_cast_or_null<DILocation>(Loop->getOperand(At).get()))
      return location(Where, Called, Column, File);
  return 0;
}
char *frit_block_name(BasicBlock *B) {
  std::string Text;
  raw_string_ostream Stream(Text);
  // Numbers are found by numbering the whole function.
  if (B->hasName())
    Stream << B->getName();
  else if (B->getParent()->size() < 500)
    B->printAsOperand(Stream, false);
  return strdup(StringRef(Text).ltrim('%').str().c_str());
}

// Remarks as YAML in a file, as `opt -pass-remarks-output` writes them. Null, or a message.
char *frit_remarks_to(LLVMContextRef Context, const char *Path, void **Handle) {
  auto File = setupLLVMOptimizationRemarks(*unwrap(Context), Path, "frit-loop-fusion", "yaml", false);
  if (!File)
    return strdup(toString(File.takeError()).c_str());
  *Handle = File->release();
  return nullptr;
}
void frit_remarks_keep(LLVMContextRef Context, void *Handle) {
  unwrap(Context)->setMainRemarkStreamer(nullptr);
  unwrap(Context)->setLLVMRemarkStreamer(nullptr);
  auto *File = static_cast<ToolOutputFile *>(Handle);
  if (File) {
    File->keep();
    delete File;
  }
}
// All remarks of the pass as text on standard error.
void frit_show_remarks(LLVMContextRef Context) {
  struct Handler : DiagnosticHandler {
    bool isPassedOptRemarkEnabled(StringRef Pass) const override { return Pass == "frit-loop-fusion"; }
    bool isMissedOptRemarkEnabled(StringRef Pass) const override { return Pass == "frit-loop-fusion"; }
    bool isAnyRemarkEnabled() const override { return true; }
    bool handleDiagnostics(const DiagnosticInfo &Info) override {
      DiagnosticPrinterRawOStream Printer(errs());
      errs() << (Info.getSeverity() == DS_Error ? "error: " : Info.getSeverity() == DS_Warning ? "warning: " : "remark: ");
      Info.print(Printer);
      errs() << "\n";
      return true;
    }
  };
  unwrap(Context)->setDiagnosticHandler(std::make_unique<Handler>());
}
}
