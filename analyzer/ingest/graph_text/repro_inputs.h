// What a repro says of the inputs of its graph, in the lines of load_args(reader).

#ifndef SHAPEWISE_INGEST_GRAPH_TEXT_REPRO_INPUTS_H_
#define SHAPEWISE_INGEST_GRAPH_TEXT_REPRO_INPUTS_H_

#include <string>
#include <string_view>
#include <vector>

#include "ingest/graph_text/graph_builder.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace shapewise {

/// Gathers the lines
///   buf0 = reader.storage(None, 60, device=device(type='cuda', index=0))
///   reader.tensor(buf0, (s77, 5), (5, 1), dtype=torch.float16)  # arg0_1
///   reader.symint(8, expr='s77')  # arg1_1
/// Source: InputWriter in torch/_dynamo/debug_utils.py, releases 2.1 to 2.13.
class ReproInputs {
 public:
  explicit ReproInputs(GraphBuilder& builder) : builder_(builder) {}

  /// The lines that come are about `graph`.
  void Begin(const GraphModel& graph);

  /// Reads one line that has "reader." in it into the placeholders of `graph`.
  void ReadLine(std::string_view line, uint64_t number, GraphModel& graph);

  /// Gives hints to the symbols of `graph`, which is finished, and forgets all that was read.
  void Finish(GraphModel& graph);

 private:
  void ReadTensor(std::string_view call, GraphValue& value, uint32_t input, uint64_t number);
  void ReadSymbol(std::string_view call, GraphValue& value, uint32_t input, uint64_t number);

  GraphBuilder& builder_;
  llvm::DenseMap<uint32_t, uint32_t> value_of_name_;  ///< of placeholders; by StrId
  llvm::StringMap<std::string> device_of_storage_;
  std::vector<std::pair<std::string, int64_t>> hints_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_GRAPH_TEXT_REPRO_INPUTS_H_
