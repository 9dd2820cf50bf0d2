// Compilations: what a structured trace tells of each attempt to compile a frame, beyond the event.

#ifndef SHAPEWISE_MODEL_COMPILATION_H_
#define SHAPEWISE_MODEL_COMPILATION_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "shapewise/model/event.h"
#include "shapewise/model/shape_guard.h"
#include "shapewise/support/string_pool.h"

namespace shapewise {

/// How a compilation ended.
enum class CompileOutcome : uint8_t {
  kGraph,       ///< guarded code with at least one op
  kEmptyGraph,  ///< nothing to compile in the frame: it runs eager
  kFailed,      ///< an exception; no code
  kBackward,    ///< the backward graph of an earlier compilation, compiled when it first ran
  kUnknown,     ///< it began, and its end is not there: the process died or hung, or the log is cut
};

/// The contract-style name of `outcome`: "graph", "empty_graph", "failed", "backward", "unknown".
std::string_view CompileOutcomeName(CompileOutcome outcome);

/// Where the wall-clock seconds of one compilation went; absent: not told. The parts need not add
/// up to the total: what is left is Dynamo's own.
struct CompileSeconds {
  std::optional<double> total;           ///< the whole frame, restarts included
  std::optional<double> backend;         ///< inside the backend: AOT and what it calls
  std::optional<double> inductor;        ///< of it, inside Inductor
  std::optional<double> code_gen;        ///< of it, making and compiling kernels
  std::optional<double> before_restart;  ///< of the total, traced in vain before a graph break
  std::optional<double> at_run_time;     ///< besides: tuning and recording when it first ran
  std::optional<double> cache_saved;     ///< what a cache hit saved, by PyTorch's estimate it

  friend bool operator==(const CompileSeconds&, const CompileSeconds&) = default;
};

/// The guards of one compilation, as counted in its guard tree.
struct GuardTally {
  /// Leaf guards by kind as printed ("TENSOR_MATCH"), most frequent first, then by name.
  std::vector<std::pair<StrId, uint32_t>> kinds;
  /// Guards evaluated in Python at the root of the tree (LAMBDA_GUARD), their text with numbers
  /// folded to '*'; most frequent first, at most 32.
  std::vector<std::pair<StrId, uint32_t>> root_lambdas;
  /// Sources of leaf guards with list indices folded to '*', where more than one index was seen:
  /// what grows with the number of layers. Most guards first, at most 32.
  struct Family {
    StrId source{};        ///< "L['self'].layers[*].scale"
    uint32_t guards = 0;   ///< leaf guards on all of them
    uint32_t members = 0;  ///< distinct indices
    friend bool operator==(const Family&, const Family&) = default;
  };
  std::vector<Family> families;
  uint32_t leaves = 0;               ///< leaf guards in all
  uint32_t managers = 0;             ///< inner nodes in all
  std::optional<double> latency_us;  ///< one evaluation, as measured by PyTorch at compile time

  friend bool operator==(const GuardTally&, const GuardTally&) = default;
};

/// The shape that one input tensor had when it was compiled.
struct InputShape {
  StrId source{};  ///< "L['x']"
  StrId shape{};   ///< "[4, 16]"
  StrId dtype{};   ///< "torch.float32"
  StrId stride{};  ///< "[16, 1]"

  friend bool operator==(const InputShape&, const InputShape&) = default;
};

/// One thing that the symbolic shapes of a compilation record.
struct SymbolFact {
  enum class Kind : uint8_t {
    kCreated,          ///< a backed symbol: `symbol`, `source`, `value`, `range`
    kCreatedUnbacked,  ///< an unbacked symbol: `symbol`, `range`
    kSpecialized,      ///< `symbol` of `source` was fixed to `value`; `expr` says why
    kGuardAdded,       ///< a guard `expr`
  };
  Kind kind = Kind::kCreated;
  StrId symbol{};
  StrId source{};
  StrId value{};
  StrId range{};
  StrId expr{};
  StrId user_file{};  ///< innermost frame of the user's stack
  uint32_t user_line = 0;
  StrId user_function{};
  uint64_t line = 0;  ///< of the input

  friend bool operator==(const SymbolFact&, const SymbolFact&) = default;
};

/// The guards of one compilation that a text log prints. It tells nothing else of the compilation,
/// so this is none of the Compilations, which stand for what structured traces tell.
struct PrintedGuards {
  uint32_t input = 0;
  uint64_t line = 0;  ///< where they begin
  LogTime time;
  int32_t rank = kNoRank;
  StrId compile_id{};  ///< with its attempt; kNone: not printed
  /// The compiled function, where other records of the same process name it; kNone: none does.
  StrId function{};
  StrId file{};
  uint32_t function_line = 0;
  /// The first line of the user's own code that a guard is said to come from; it may lie in a
  /// function that the compiled one calls.
  StrId user_file{};
  uint32_t user_line = 0;
  StrId user_function{};
  GuardTally guards;                ///< without leaves: only `symbols` is told
  GuardTexts guard_texts;           ///< this and `symbols` only if asked for: ReadOptions
  std::vector<SymbolFact> symbols;  ///< in order; at most 1024
};

/// Where a payload lies that is read only when asked for: a graph, generated code.
struct PayloadPlace {
  StrId name{};       ///< "dynamo_output_graph", "inductor_output_code"
  uint64_t line = 0;  ///< its envelope, 1-based
  friend bool operator==(const PayloadPlace&, const PayloadPlace&) = default;
};

/// The shape of a value in the graph that a frame hands over.
struct NodeShape {
  StrId name{};   ///< of the node: "y", "sum_1"
  StrId shape{};  ///< in terms of the symbols of its compilation: "[2*s77, 4]"
  friend bool operator==(const NodeShape&, const NodeShape&) = default;
};

/// One attempt to compile one frame, in one process.
struct Compilation {
  uint32_t input = 0;
  uint64_t line = 0;  ///< where its metrics stand; where it began, if none are there
  LogTime time;       ///< of that line
  int32_t rank = kNoRank;
  StrId compile_id{};  ///< with its attempt: "0/1_1"
  CompileOutcome outcome = CompileOutcome::kGraph;
  bool is_finished = false;  ///< its metrics were read; else the process ended, or the log is cut

  StrId function{};
  StrId file{};
  uint32_t function_line = 0;
  StrId user_file{};  ///< innermost frame of the calling stack
  uint32_t user_line = 0;
  StrId user_function{};

  double start = 0;  ///< seconds since the Unix epoch; 0: not told
  CompileSeconds seconds;
  std::optional<int64_t> num_ops;
  std::optional<int64_t> num_inputs;
  std::optional<int64_t> num_guards;
  CacheOutcome cache = CacheOutcome::kNone;
  uint32_t restarts = 0;
  StrId fail_type{};
  StrId fail_reason{};  ///< first line
  GuardTally guards;
  GuardTexts guard_texts;              ///< only if asked for: ReadOptions::guard_texts
  std::vector<InputShape> shapes;      ///< inputs that are no parameters, in order; at most 64
  std::vector<SymbolFact> symbols;     ///< in order; at most 1024
  std::vector<PayloadPlace> payloads;  ///< in order; at most 256
  // These only if asked for, with guard_texts.
  std::vector<NodeShape> node_shapes;  ///< in order; at most 1024
  std::vector<StrId> mutated;  ///< sources of objects that running the frame changes; at most 256
};

}  // namespace shapewise

#endif  // SHAPEWISE_MODEL_COMPILATION_H_
