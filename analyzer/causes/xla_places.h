// PyTorch/XLA's Compilation and Execution Analysis blocks, line by line of the user's code.

#ifndef SHAPEWISE_CAUSES_XLA_PLACES_H_
#define SHAPEWISE_CAUSES_XLA_PLACES_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "causes/cause.h"
#include "causes/xla_trouble.h"
#include "model/event.h"

namespace shapewise {

/// Why a line makes PyTorch/XLA compile or run the graph collected so far.
enum class XlaTrigger : uint8_t {
  kStepEnd,  ///< mark_step, torch_xla.sync, torch_xla.compile, a data loader at the end of a step
  kValueAccess,  ///< Python needed a value before that
  kDynamoInput,  ///< a Dynamo graph was called with inputs that were not computed yet
  kInsideWhole,  ///< a run inside a function that is compiled as a whole
};

/// The blocks that one line of user code triggered, over all processes.
struct XlaPlace {
  XlaTrigger trigger = XlaTrigger::kStepEnd;
  Place where;         ///< innermost frame outside of libraries; else the innermost
  std::string access;  ///< how a value was accessed, if a PyTorch frame shows it
  std::string cause;   ///< as printed
  std::vector<size_t> events;
  std::set<ProcessKey> processes;
  uint64_t compiles = 0;
  uint64_t executions = 0;
  uint64_t kept_compiles = 0;  ///< part of `compiles`; the others were only counted
  std::vector<StrId> graphs;   ///< hashes of kept ones, each once, in the order of compilation

  /// Number of graphs it made; if compilations were only counted, the share of new graphs among
  /// them is assumed to be that of the recorded ones.
  uint64_t NumGraphs() const;

  /// Whether each new graph repeatedly had more or larger inputs than the one before.
  bool IsGrowing() const;
  /// Compilations per execution over the later half of the executions; absent: too few executions.
  std::optional<double> LateRate() const;
  /// "12, 13, 14 inputs" or "0.5, 0.7 GB of input" of the graphs, in order; empty: unknown.
  std::vector<std::string> InputTexts() const;

  /// A recorded compilation, with those counted between the previous one and it.
  struct CompileRun {
    uint64_t executions_before = 0;
    uint64_t times = 1;
    uint64_t line = 0;
  };
  std::vector<int64_t> graph_inputs;   ///< of each new graph, if known
  std::vector<double> graph_input_gb;  ///< of each new graph, if known
  std::vector<CompileRun> compile_runs;
};

/// Groups blocks by line.
class XlaPlaces {
 public:
  explicit XlaPlaces(const Session& session) : session_(session) {}

  /// Takes an event of kind kXlaCompile or kXlaExecution.
  void Add(size_t index);

  /// In the order of their first blocks.
  std::vector<XlaPlace>& places() { return places_; }

 private:
  using Key = std::tuple<XlaTrigger, StrId, uint32_t, StrId>;  // trigger, file, line, function

  /// State of a place while blocks are added.
  struct Progress {
    std::set<StrId> seen_graphs;
    size_t last_execution = 0;    // event
    size_t num_settled_runs = 0;  // compile_runs before that execution
  };

  void AddExecution(size_t index, XlaPlace& place, Progress& progress) const;

  const Session& session_;
  std::map<Key, size_t> place_of_;
  std::vector<XlaPlace> places_;
  std::vector<Progress> progress_;  // parallel to places_
};

}  // namespace shapewise

#endif  // SHAPEWISE_CAUSES_XLA_PLACES_H_
