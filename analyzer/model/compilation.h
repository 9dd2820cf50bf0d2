// Compilations: what a structured trace records about each attempt to compile a frame.

#ifndef SHAPEWISE_MODEL_COMPILATION_H_
#define SHAPEWISE_MODEL_COMPILATION_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "model/event.h"
#include "model/shape_guard.h"
#include "support/string_pool.h"

namespace shapewise {

/// How a compilation ended.
enum class CompileOutcome : uint8_t {
  kGraph,       ///< guarded code with at least one op
  kEmptyGraph,  ///< nothing to compile in the frame: it runs eagerly
  kFailed,      ///< an exception; no code
  kBackward,    ///< the backward graph of an earlier compilation, compiled on its first run
  kUnknown,     ///< started but not finished: the process died or hung, or the log is truncated
};

/// The name of `outcome` in results: "graph", "empty_graph", "failed", "backward", "unknown".
std::string_view CompileOutcomeName(CompileOutcome outcome);

/// Wall-clock seconds of one compilation, by phase; absent: unknown. The phases need not add up to
/// the total; the rest is Dynamo itself.
struct CompileSeconds {
  std::optional<double> total;     ///< the whole frame, restarts included
  std::optional<double> backend;   ///< in the backend: AOTAutograd and what it calls
  std::optional<double> inductor;  ///< part of it in Inductor
  std::optional<double> code_gen;  ///< part of it generating and compiling kernels
  /// Part of the total: traces discarded before a graph break.
  std::optional<double> before_restart;
  std::optional<double> at_run_time;  ///< in addition: autotuning and recording on the first run
  std::optional<double> cache_saved;  ///< saved by a cache hit, as estimated by PyTorch

  friend bool operator==(const CompileSeconds&, const CompileSeconds&) = default;
};

/// The guards of one compilation, counted from its guard tree.
struct GuardTally {
  /// Leaf guards by kind as printed ("TENSOR_MATCH"), most frequent first, then by name.
  std::vector<std::pair<StrId, uint32_t>> kinds;
  /// Text of guards evaluated in Python at the root of the tree (LAMBDA_GUARD), with numbers
  /// replaced by '*'; most frequent first, at most 32.
  std::vector<std::pair<StrId, uint32_t>> root_lambdas;
  /// Sources of leaf guards with list indices replaced by '*', where several indices occur: these
  /// grow with the number of layers. Most guards first, at most 32.
  struct Family {
    StrId source{};        ///< "L['self'].layers[*].scale"
    uint32_t guards = 0;   ///< total number of leaf guards
    uint32_t members = 0;  ///< distinct indices
    friend bool operator==(const Family&, const Family&) = default;
  };
  std::vector<Family> families;
  uint32_t leaves = 0;               ///< total number of leaf guards
  uint32_t managers = 0;             ///< total number of inner nodes
  std::optional<double> latency_us;  ///< one evaluation, as measured by PyTorch at compile time

  friend bool operator==(const GuardTally&, const GuardTally&) = default;
};

/// The shape of one input tensor at compile time.
struct InputShape {
  StrId source{};  ///< "L['x']"
  StrId shape{};   ///< "[4, 16]"
  StrId dtype{};   ///< "torch.float32"
  StrId stride{};  ///< "[16, 1]"

  friend bool operator==(const InputShape&, const InputShape&) = default;
};

/// One record of the symbolic shapes of a compilation.
struct SymbolFact {
  enum class Kind : uint8_t {
    kCreated,          ///< a backed symbol: `symbol`, `source`, `value`, `range`
    kCreatedUnbacked,  ///< an unbacked symbol: `symbol`, `range`
    kSpecialized,      ///< `symbol` of `source` was specialized to `value`; `expr` is the reason
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

/// The guards of one compilation in a text log. A text log shows nothing else of the compilation,
/// so these are not part of Compilation, which describes structured traces.
struct PrintedGuards {
  uint32_t input = 0;
  uint64_t line = 0;  ///< first line
  LogTime time;
  int32_t rank = kNoRank;
  StrId compile_id{};  ///< with its attempt; kNone: not printed
  /// The compiled function, named by other records of the same process; kNone: unknown.
  StrId function{};
  StrId file{};
  uint32_t function_line = 0;
  /// The first line of user code that a guard refers to; it may be in a callee of the compiled
  /// function.
  StrId user_file{};
  uint32_t user_line = 0;
  StrId user_function{};
  GuardTally guards;                ///< without leaves: only `symbols` is known
  GuardTexts guard_texts;           ///< only with ReadOptions::guard_texts
  std::vector<SymbolFact> symbols;  ///< in order; at most 1024
};

/// The place of a payload that is read on demand: a graph, generated code.
struct PayloadPlace {
  StrId name{};       ///< "dynamo_output_graph", "inductor_output_code"
  uint64_t line = 0;  ///< its envelope, 1-based
  friend bool operator==(const PayloadPlace&, const PayloadPlace&) = default;
};

/// The shape of a value in the graph of a frame.
struct NodeShape {
  StrId name{};   ///< of the node: "y", "sum_1"
  StrId shape{};  ///< in terms of the symbols of its compilation: "[2*s77, 4]"
  friend bool operator==(const NodeShape&, const NodeShape&) = default;
};

/// A tensor that a frame after a graph break, or one that is called by a compiled function, takes.
struct PassedTensor {
  StrId source{};
  StrId argument{};  ///< the argument of the compiled function that it is; kNone: none of them
  friend bool operator==(const PassedTensor&, const PassedTensor&) = default;
};

/// One attempt to compile one frame, in one process.
struct Compilation {
  uint32_t input = 0;
  uint64_t line = 0;  ///< of its metrics; without metrics, of its start
  LogTime time;       ///< of that line
  int32_t rank = kNoRank;
  StrId compile_id{};  ///< with its attempt: "0/1_1"
  CompileOutcome outcome = CompileOutcome::kGraph;
  /// Its metrics were read; else the process ended, or the log is truncated.
  bool is_finished = false;

  StrId function{};
  StrId file{};
  uint32_t function_line = 0;
  StrId user_file{};  ///< innermost frame of the calling stack
  uint32_t user_line = 0;
  StrId user_function{};

  double start = 0;  ///< seconds since the Unix epoch; 0: unknown
  CompileSeconds seconds;
  std::optional<int64_t> num_ops;
  std::optional<int64_t> num_inputs;
  std::optional<int64_t> num_guards;
  CacheOutcome cache = CacheOutcome::kNone;
  uint32_t restarts = 0;
  StrId fail_type{};
  StrId fail_reason{};  ///< first line
  GuardTally guards;
  GuardTexts guard_texts;              ///< only with ReadOptions::guard_texts
  std::vector<InputShape> shapes;      ///< inputs that are not parameters, in order; at most 64
  std::vector<SymbolFact> symbols;     ///< in order; at most 1024
  std::vector<PayloadPlace> payloads;  ///< in order; at most 256
  // Only with ReadOptions::guard_texts.
  std::vector<NodeShape> node_shapes;  ///< in order; at most 1024
  std::vector<StrId> mutated;          ///< sources of objects that the frame mutates; at most 256
  std::vector<PassedTensor> passed;    ///< recorded by `shapewise run`; at most 256
};

}  // namespace shapewise

#endif  // SHAPEWISE_MODEL_COMPILATION_H_
