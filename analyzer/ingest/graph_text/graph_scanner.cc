#include "ingest/graph_text/graph_scanner.h"

#include <algorithm>

#include "ingest/graph_text/finish_graph.h"
#include "support/literal_set.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

constexpr std::string_view kClassTail = "(torch.nn.Module):";
constexpr std::string_view kFunction = "def forward(";
constexpr std::string_view kGraph = "graph():";
constexpr std::string_view kTable = "opcode ";
constexpr std::string_view kTorchVersion = "# torch version: ";
constexpr std::string_view kExported = "ExportedProgram:";
constexpr std::string_view kSignature = "Graph signature:";
constexpr std::string_view kRanges = "Range constraints:";
constexpr std::string_view kTitle = "===== ";
constexpr std::string_view kSizes = "TRACED GRAPH TENSOR SIZES";
constexpr std::string_view kDdpTitle = " graph---";

/// Literals of relevant lines; one search skips everything else.
const LiteralSet& Literals() {
  static const LiteralSet literals({kClassTail, kFunction, kGraph, kTable, kTorchVersion, kExported,
                                    kSignature, kRanges, kTitle, kSizes, kDdpTitle,
                                    "reader.storage(", "reader.tensor(", "reader.symint("});
  return literals;
}

const LiteralSet& HeadLiterals() {
  static const LiteralSet literals({kClassTail, kFunction, kGraph, kTable, kExported});
  return literals;
}

/// Offset of "class " in "path/of/module.py class GraphModule(torch.nn.Module):".
size_t ClassAt(std::string_view line) {
  const size_t tail = FindText(line, kClassTail);
  if (tail == kNotFound) return kNotFound;
  const size_t at = line.substr(0, tail).rfind("class ");
  return at == kNotFound || (at > 0 && line[at - 1] != ' ') ? kNotFound : at;
}

/// Offset of "opcode" in the head of a table; 2.0 to 2.2 log a path before it.
size_t TableAt(std::string_view line) {
  const size_t at = FindText(line, kTable);
  if (at == kNotFound || (at > 0 && line[at - 1] != ' ')) return kNotFound;
  const std::string_view head = line.substr(at);
  const bool is_head =
      HasText(head, " name ") && HasText(head, " target ") && HasText(head, " args ");
  return is_head ? at : kNotFound;
}

/// "Simple(" or "GraphModule()" above the code: the first line of print(GraphModule).
std::string_view ModuleName(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \r\n");
  if (begin == kNotFound) return {};
  std::string_view line = TrimRight(text.substr(begin, 200));
  line = line.substr(0, line.find('\n'));
  const std::string_view name = line.substr(0, line.find('('));
  const std::string_view tail = TrimRight(line.substr(name.size()));
  const bool is_name = !name.empty() && std::all_of(name.begin(), name.end(), IsWordChar);
  return is_name && (tail == "(" || tail == "()") ? name : std::string_view();
}

bool IsImport(std::string_view line) {
  return line.starts_with("import ") || (line.starts_with("from ") && HasText(line, " import "));
}

}  // namespace

bool IsPythonProgram(std::string_view name, std::string_view front) {
  if (HasText(front, "class Repro(") || HasText(front, "class FxModule(")) return false;
  bool is_first_line = true;
  while (!front.empty()) {
    const size_t end = std::min(front.find('\n'), front.size());
    const std::string_view line = front.substr(0, end);
    front.remove_prefix(std::min(end + 1, front.size()));
    if (line.empty() || line.starts_with('#')) continue;
    // A log may quote code, but does not begin with it.
    if (IsImport(line)) return is_first_line || name.ends_with(".py");
    is_first_line = false;
  }
  return false;
}

bool HasGraphHead(std::string_view text) {
  for (size_t hit = HeadLiterals().Find(text); hit != kNotFound;) {
    const size_t begin = hit == 0 ? 0 : text.rfind('\n', hit - 1) + 1;
    const size_t end = std::min(text.find('\n', hit), text.size());
    const std::string_view line = TrimRight(text.substr(begin, end - begin));
    const std::string_view body = TrimLeft(line);
    const size_t head = std::min(ClassAt(line), TableAt(line));
    if (head == line.size() - body.size() || body.starts_with(kFunction) || body == kGraph ||
        body == kExported) {
      return true;
    }
    hit = end < text.size() ? HeadLiterals().Find(text, end) : kNotFound;
  }
  return false;
}

GraphScanner::GraphScanner(GraphSet& graphs)
    : graphs_(graphs),
      builder_(graphs),
      listed_(builder_),
      python_(builder_, listed_),
      repro_inputs_(builder_) {}

void GraphScanner::Scan(std::string_view text, uint64_t first_line,
                        std::span<const uint64_t> numbers, const GraphOrigin& origin) {
  has_class_ = false;
  is_exported_ = false;
  module_name_ = ModuleName(text);
  title_.clear();
  torch_version_.clear();
  parents_.clear();
  top_graph_ = kNoIndex;
  num_finished_ = graphs_.graphs.size();
  LineCursor cursor(text, first_line, numbers);
  while (!cursor.at_end()) {
    const size_t hit = Literals().Find(text, cursor.offset());
    if (hit == LiteralSet::kNotFound) break;
    cursor.MoveToLineOf(hit);
    const size_t before = cursor.offset();
    ReadLine(cursor, origin);
    if (cursor.offset() == before) cursor.Skip();
  }
  Finish();
}

void GraphScanner::ReadLine(LineCursor& cursor, const GraphOrigin& origin) {
  const TextLine line = cursor.Peek();
  const std::string_view body = line.body();
  if (ClassAt(line.text) != kNotFound) {
    ReadClass(line);
  } else if (body.starts_with(kFunction)) {
    ReadFunction(cursor, origin);
  } else if (TrimRight(body) == kGraph) {
    AddTopGraph(python_.ReadList(cursor, origin, title_.empty() ? "graph" : title_));
  } else if (TableAt(line.text) != kNotFound) {
    AddTopGraph(ReadGraphTable(cursor, builder_, origin, title_.empty() ? "graph" : title_));
  } else if (body.starts_with(kTorchVersion) && line.is_whole) {
    torch_version_ = Trim(body.substr(kTorchVersion.size()));
  } else if (HasText(body, "reader.")) {
    if (ReopenTopGraph() && line.is_whole) repro_inputs_.ReadLine(line);
  } else if (HasText(body, kSizes)) {
    Finish();
    ReadTensorSizes(cursor, builder_, origin.input);
  } else if (body.starts_with("---") && TrimRight(body).ends_with(kDdpTitle)) {
    // "---submod_0 graph---"
    title_ = TrimRight(body).substr(3, TrimRight(body).size() - 6);
  } else if (const size_t title = FindText(line.text, kTitle); title != kNotFound) {
    const std::string_view rest = line.text.substr(title + kTitle.size());
    const size_t end = FindText(rest, " =====");
    if (end != kNotFound) title_ = rest.substr(0, end);
  } else {
    ReadExport(cursor, line);
  }
}

/// Reads the text around the graph of an ExportedProgram.
void GraphScanner::ReadExport(LineCursor& cursor, const TextLine& line) {
  const std::string_view body = line.body();
  if (body.starts_with(kExported)) {
    is_exported_ = true;
    parents_.clear();
  } else if (body.starts_with(kSignature) && ReopenTopGraph()) {
    Finish();
    ReadGraphSignature(cursor, builder_);
  } else if (body.starts_with(kRanges) && ReopenTopGraph()) {
    Finish();
    ReadRangeConstraints(cursor, builder_);
    is_exported_ = false;
  }
}

void GraphScanner::ReadClass(const TextLine& line) {
  const size_t at = ClassAt(line.text);
  const size_t tail = FindText(line.text, kClassTail);
  class_name_ = Trim(line.text.substr(at + 6, tail - at - 6));
  class_indent_ = at == line.indent ? at : 0;
  has_class_ = true;
}

void GraphScanner::ReadFunction(LineCursor& cursor, const GraphOrigin& origin) {
  const TextLine line = cursor.Peek();
  const bool has_class = has_class_ && (class_indent_ < line.indent || line.indent == 0);
  has_class_ = false;
  const size_t indent = has_class ? class_indent_ : line.indent;
  while (!parents_.empty() && parents_.back().indent >= indent) parents_.pop_back();
  const bool is_top = parents_.empty();

  GraphOrigin own = origin;
  if (!is_top) own.name = {};
  std::string_view name = has_class ? std::string_view(class_name_) : "GraphModule";
  if (!has_class && !module_name_.empty()) name = module_name_;
  if (is_top && !title_.empty()) name = title_;
  std::string_view format = has_class ? "print_readable" : "graph_module_code";
  if (!has_class && !module_name_.empty()) format = "print_graph_module";
  if (is_exported_) format = "exported_program";
  if (has_class && class_name_ == "Repro") format = "fx_graph_runnable";
  if (is_top) Finish();

  const uint32_t index = python_.Read(cursor, own, format, name, has_class);
  if (index == kNoIndex) return;
  if (builder_.was_unpacked()) joint_graphs_.push_back(index);
  if (is_top) {
    AddTopGraph(index);
  } else {
    graphs_.graphs[parents_.back().graph].subgraphs.push_back(index);
  }
  parents_.push_back({indent, index});
}

void GraphScanner::AddTopGraph(uint32_t graph) {
  if (graph == kNoIndex) return;
  top_graph_ = graph;
  graphs_.graphs[graph].torch_version = builder_.Intern(torch_version_);
  title_.clear();
  module_name_.clear();
}

/// Reopens the last graph, to add data about it; it gets no more nodes. False if there is no graph.
bool GraphScanner::ReopenTopGraph() {
  if (top_graph_ == kNoIndex) return false;
  parents_.clear();
  builder_.Reopen(top_graph_);
  return true;
}

void GraphScanner::Finish() {
  for (; num_finished_ < graphs_.graphs.size(); ++num_finished_) {
    const auto index = static_cast<uint32_t>(num_finished_);
    GraphModel& graph = graphs_.graphs[index];
    const bool is_joint =
        graph.name.find("oint") != std::string::npos ||
        std::find(joint_graphs_.begin(), joint_graphs_.end(), index) != joint_graphs_.end();
    FinishGraph(graphs_, graph, is_joint);
    if (index == top_graph_) repro_inputs_.Finish(graph);
  }
  joint_graphs_.clear();
}

}  // namespace shapewise
