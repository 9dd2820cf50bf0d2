#include "ingest/graph_text/tensor_sizes.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>
#include <vector>

#include "ingest/graph_text/finish_graph.h"
#include "llvm/ADT/DenseMap.h"

namespace shapewise {
namespace {

// The graph was printed just before its sizes.
constexpr size_t kMaxGraphsBetween = 64;

/// Takes the next of "s0, 4)" from the front of `sizes`; empty at the end.
std::string_view ConsumeSize(std::string_view& sizes) {
  size_t depth = 0;
  size_t at = 0;
  for (; at < sizes.size(); ++at) {
    const char c = sizes[at];
    if (depth == 0 && (c == ',' || c == ')')) break;
    if (c == '(') ++depth;
    if (c == ')') --depth;
  }
  const std::string_view size = Trim(sizes.substr(0, at));
  sizes.remove_prefix(std::min(at + 1, sizes.size()));
  return size;
}

GraphModel* FindGraph(GraphSet& graphs, std::string_view name, uint32_t input) {
  const size_t count = graphs.graphs.size();
  for (size_t back = 1; back <= std::min(count, kMaxGraphsBetween); ++back) {
    GraphModel& graph = graphs.graphs[count - back];
    if (graph.input == input && graph.name == name && graph.symbols.empty()) return &graph;
  }
  return nullptr;
}

/// Values of one graph by name, and what is told of them.
class SizeTable {
 public:
  SizeTable(GraphBuilder& builder, GraphModel& graph) : builder_(builder), graph_(graph) {
    for (size_t i = 0; i < graph.values.size(); ++i) {
      value_of_name_[static_cast<uint32_t>(graph.values[i].name)] = static_cast<uint32_t>(i);
    }
  }

  void Read(std::string_view name, std::string_view sizes, uint64_t line) {
    const bool is_concrete = name.ends_with(" (concrete)");
    if (is_concrete) name.remove_suffix(std::string_view(" (concrete)").size());
    const auto found = value_of_name_.find(static_cast<uint32_t>(builder_.Intern(name)));
    if (found == value_of_name_.end()) return;
    GraphValue& value = graph_.values[found->second];
    if (is_concrete) {
      if (value.type != kNoIndex) ReadHints(builder_.graphs().types[value.type], sizes);
      return;
    }
    ValueType type;
    type.kind = ValueType::Kind::kTensor;
    type.has_shape = true;
    for (std::string_view size = ConsumeSize(sizes); !size.empty(); size = ConsumeSize(sizes)) {
      type.shape.push_back(builder_.types().ReadSize(size, graph_.input, line));
    }
    value.type = builder_.graphs().InternType(std::move(type));
  }

  void Finish() {
    FinishGraph(builder_.graphs(), graph_, /*is_joint=*/false);
    for (GraphSymbol& symbol : graph_.symbols) {
      const auto hint = hints_.find(static_cast<uint32_t>(symbol.symbol));
      if (hint != hints_.end()) symbol.hint = hint->second;
    }
  }

 private:
  void ReadHints(const ValueType& type, std::string_view sizes) {
    for (const ExprId size : type.shape) {
      const std::string_view text = ConsumeSize(sizes);
      int64_t hint = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), hint);
      if (error != std::errc() || end != text.data() + text.size()) return;
      if (builder_.graphs().expressions.kind(size) == ExprKind::kSymbol) {
        hints_[static_cast<uint32_t>(size)] = hint;
      }
    }
  }

  GraphBuilder& builder_;
  GraphModel& graph_;
  llvm::DenseMap<uint32_t, uint32_t> value_of_name_;  ///< StrId -> value
  llvm::DenseMap<uint32_t, int64_t> hints_;           ///< ExprId of a symbol -> hint
};

}  // namespace

void ReadTensorSizes(LineCursor& cursor, GraphBuilder& builder, uint32_t input) {
  cursor.Skip();
  if (cursor.at_end()) return;
  const std::string title(TextBetween(cursor.Peek().text, "===== ", " ====="));
  GraphModel* const graph = title.empty() ? nullptr : FindGraph(builder.graphs(), title, input);
  if (graph == nullptr) return;
  cursor.Skip();
  SizeTable table(builder, *graph);
  while (!cursor.at_end()) {
    const TextLine line = cursor.Peek();
    const size_t colon = FindText(line.text, ": (");
    if (colon == std::string_view::npos || !line.is_whole || !line.text.ends_with(')')) break;
    table.Read(Trim(line.text.substr(0, colon)), line.text.substr(colon + 3), line.number);
    cursor.Skip();
  }
  table.Finish();
}

}  // namespace shapewise
