// Where the pass is called from: opt, clang, and the project's own command; and the remarks that it leaves there.
#include "shim.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/IR/DiagnosticInfo.h"
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

struct LoopFusion : PassInfoMixin<LoopFusion> {
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &FAM) {
    All.pass();
    auto &Remarks = FAM.getResult<OptimizationRemarkEmitterAnalysis>(F);
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
  DebugLoc Where = At->getDebugLoc();
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

// Where an instruction is in the source: the line, 0 if unknown; the file's path is to be released.
static unsigned location(const DILocation *Where, unsigned *Column, char **File) {
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
unsigned frit_location(Instruction *I, unsigned *Column, char **File) { return location(I->getDebugLoc(), Column, File); }
unsigned frit_loop_start(Instruction *Latch, unsigned *Column, char **File) {
  MDNode *Loop = Latch->getMetadata(LLVMContext::MD_loop);
  for (unsigned At = 1; Loop && At < Loop->getNumOperands(); At++)
    if (auto *Where = dyn_cast_or_null<DILocation>(Loop->getOperand(At).get()))
      return location(Where, Column, File);
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
