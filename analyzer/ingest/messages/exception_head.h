// Exceptions of torch's compiler, as printed on the last line of a traceback.

#ifndef SHAPEWISE_INGEST_MESSAGES_EXCEPTION_HEAD_H_
#define SHAPEWISE_INGEST_MESSAGES_EXCEPTION_HEAD_H_

#include <span>
#include <string_view>

#include "ingest/messages/record.h"

namespace shapewise {

/// The message of a TorchRuntimeError, which loggers print without its class.
inline constexpr std::string_view kFailedFakeRun =
    "Dynamo failed to run FX node with fake tensors: call_";
inline constexpr std::string_view kOldFailedFakeRun = "Failed running call_";  ///< until 2.5

/// Texts of exceptions that only the compiler raises, though their class is one of Python's own or
/// missing: torch/_dynamo/guards.py, _dynamo/utils.py, _dynamo/eval_frame.py, torch/__init__.py,
/// torch/fx/experimental/symbolic_shapes.py, torch/_inductor/cudagraph_trees.py,
/// torch/_functorch/_aot_autograd/runtime_wrappers.py, torch/csrc/dynamo/guards.cpp
/// (assert_size_stride); vllm/v1/executor/multiproc_executor.py. Checked from 2.3 to 2.13.
inline constexpr std::string_view kCompilerErrors =
    "AssertionError: Guard failed on the same frame it was created|"
    "AssertionError: Guard check failed: |"
    "AssertionError: expected size %n==%n, stride %n==%n at dim=|"
    "RuntimeError: Error: accessing tensor output of CUDAGraphs that has been |"
    "RuntimeError: Error: accessing gradient tensor output of CUDAGraphs that has |"
    "RuntimeError: TODO: graph recording observed an input tensor deallocate |"
    "RuntimeError: static input data pointer changed|"
    "RuntimeError: These live storage data ptrs are in the cudagraph pool |"
    "RuntimeError: This backward function was compiled with non-empty donated |"
    "RuntimeError: torch.compile with aot_autograd does not currently support |"
    "RuntimeError: one of the variables needed for gradient computation has %*of CompiledFunction|"
    "RuntimeError: torch.compile with fullgraph=True found no compiled |"
    "RuntimeError: Detected that you are using FX to symbolically trace a |"
    "RuntimeError: Detected that you are using FX to torch.jit.trace a |"
    "RuntimeError: torch.compile does not support compiling torch.jit.script or |"
    "RuntimeError: Python %*not yet supported for torch.compile|"
    "RuntimeError: Cannot access data pointer of Tensor (e.g. FakeTensor|"
    "AssertionError: Global %*state changed while dynamo tracing|"
    "AssertionError: Mutating module attribute %*during export|"
    "ValueError: The tensor attribute%*assigned during export|"
    "RuntimeError: Dynamo is not supported on Python %n|"
    "RuntimeError: torch.compile is not supported on Python %n|"
    "RuntimeError: Windows not yet supported for torch.compile|"
    "RuntimeError: GuardManager check failed, reason: |"
    "RuntimeError: Error(s) in loading state_dict for OptimizedModule|"
    "Unexpected key(s) in state_dict: %*_orig_mod.|"
    "Error: accessing tensor output of CUDAGraphs that has been |"
    "Error: accessing gradient tensor output of CUDAGraphs that has |"
    "accessing tensor output of CUDAGraphs that has been overwritten by a subsequent run|"
    "Dynamo failed to run FX node with fake tensors: call_|"
    "Failed running call_function <|Failed running call_method |"
    "Dynamic control flow is not supported at the moment. Please use |"
    "Could not guard on data-dependent expression |"
    "Could not extract specialized integer from data-dependent expression |"
    "Worker failed with error '";

/// "torch._dynamo.exc.Unsupported: message" taken apart. Views point into the text.
struct ExceptionHead {
  RecordKind kind = RecordKind::kNone;  ///< kException or kTorchscript; kNone: not found
  size_t offset = 0;                    ///< where the name begins
  std::string_view name;                ///< class without its module
  std::string_view message;             ///< rest of the line
};

/// Finds an exception of torch's compiler at the front of `text` (ignoring blanks), or with
/// `anywhere` also after other text if it includes its module and is not quoted, or follows a
/// colon.
ExceptionHead FindExceptionHead(std::string_view text, bool anywhere);

/// Where the Markdown code span that begins right before `at` ends: prose quotes an error in it.
/// kNotFound: none does, or it is short, as a name that is only mentioned.
size_t CodeSpanEnd(std::string_view text, size_t at);

/// Classes that notebooks print without their module; the names are unique to torch.
std::span<const std::string_view> BareExceptionNames();

/// Parses any "some.module.SomeError: message" at the front of `text`; false for other texts.
bool ParseAnyException(std::string_view text, std::string_view& name, std::string_view& message);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_MESSAGES_EXCEPTION_HEAD_H_
