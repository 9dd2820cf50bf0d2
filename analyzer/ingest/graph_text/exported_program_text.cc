#include "ingest/graph_text/exported_program_text.h"

#include <algorithm>
#include <optional>
#include <string>

#include "ingest/stated_ranges.h"
#include "llvm/ADT/StringMap.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

struct InputKind {
  std::string_view name;
  PlaceholderKind kind;
};

// Source: InputKind in torch/export/graph_signature.py.
constexpr InputKind kInputKinds[] = {
    {"USER_INPUT", PlaceholderKind::kInput},    {"PARAMETER", PlaceholderKind::kParameter},
    {"BUFFER", PlaceholderKind::kBuffer},       {"CONSTANT_TENSOR", PlaceholderKind::kConstant},
    {"CUSTOM_OBJ", PlaceholderKind::kConstant}, {"TOKEN", PlaceholderKind::kConstant},
};

/// Gives kinds and sources to placeholders by name.
class SignatureReader {
 public:
  SignatureReader(GraphSet& graphs, GraphModel& graph) : graphs_(graphs) {
    for (Placeholder& placeholder : graph.placeholders) {
      const GraphNode& node = graph.nodes[placeholder.node];
      placeholders_[Key(graphs.strings.text(node.target))] = &placeholder;
      placeholders_[Key(graphs.strings.text(graph.values[node.first_value].name))] = &placeholder;
    }
  }

  void Set(std::string_view name, std::string_view kind, std::string_view target) {
    const auto found = placeholders_.find(Key(name));
    const auto* const known = std::find_if(std::begin(kInputKinds), std::end(kInputKinds),
                                           [&](const InputKind& k) { return k.name == kind; });
    if (found == placeholders_.end() || known == std::end(kInputKinds)) return;
    if (known->kind == PlaceholderKind::kInput) return;
    found->second->kind = known->kind;
    if (target.empty()) return;
    found->second->source = graphs_.strings.Intern("self." + std::string(target));
  }

 private:
  static llvm::StringRef Key(std::string_view text) { return {text.data(), text.size()}; }

  GraphSet& graphs_;
  llvm::StringMap<Placeholder*> placeholders_;
};

/// "p_w: PARAMETER target='w' persistent=True"
void ReadSpecLine(std::string_view line, SignatureReader& signature) {
  const size_t colon = FindText(line, ": ");
  if (colon == kNotFound) return;
  const std::string_view rest = line.substr(colon + 2);
  signature.Set(line.substr(0, colon), rest.substr(0, rest.find(' ')),
                TextBetween(rest, "target='", "'"));
}

/// "InputSpec(kind=<InputKind.PARAMETER: 2>, arg=TensorArgument(name='p_w'), target='w', ...)"
void ReadInputSpecs(std::string_view line, SignatureReader& signature) {
  constexpr std::string_view kSpec = "InputSpec(";
  for (size_t at = FindText(line, kSpec); at != kNotFound;) {
    const size_t next = FindText(line, kSpec, at + kSpec.size());
    const std::string_view spec = line.substr(at, std::min(next, line.size()) - at);
    signature.Set(TextBetween(spec, "name='", "'"), TextBetween(spec, "InputKind.", ":"),
                  TextBetween(spec, "target='", "'"));
    at = next;
  }
}

/// "inputs_to_parameters={'arg0_1': 'w', 'arg1_1': 'b'}"
void ReadNamesOf(std::string_view line, std::string_view field, std::string_view kind,
                 SignatureReader& signature) {
  std::string_view names = TextBetween(line, field, "}");
  while (true) {
    const size_t quote = names.find('\'');
    if (quote == kNotFound) return;
    names.remove_prefix(quote + 1);
    const std::string_view name = names.substr(0, names.find('\''));
    names.remove_prefix(std::min(name.size() + 1, names.size()));
    if (!ConsumeFront(names, ": '")) return;
    const std::string_view target = names.substr(0, names.find('\''));
    names.remove_prefix(std::min(target.size() + 1, names.size()));
    signature.Set(name, kind, target);
  }
}

}  // namespace

void ReadGraphSignature(LineCursor& cursor, GraphSet& graphs, GraphModel& graph) {
  SignatureReader signature(graphs, graph);
  const TextLine head = cursor.Peek();
  cursor.Skip();
  ReadInputSpecs(head.text, signature);
  ReadNamesOf(head.text, "inputs_to_parameters={", "PARAMETER", signature);
  ReadNamesOf(head.text, "inputs_to_buffers={", "BUFFER", signature);
  bool is_input = false;
  while (!cursor.at_end()) {
    const TextLine line = cursor.Peek();
    if (!line.text.empty() && line.indent == 0) return;
    cursor.Skip();
    const std::string_view body = line.body();
    if (body.starts_with("# ")) {
      is_input = body.starts_with("# inputs");
    } else if (is_input && line.is_whole) {
      ReadSpecLine(body, signature);
    }
  }
}

void ReadRangeConstraints(LineCursor& cursor, GraphSet& graphs, uint32_t graph) {
  const TextLine line = cursor.Peek();
  cursor.Skip();
  std::string_view rest = line.text.substr(std::min(line.text.find('{'), line.text.size()));
  const bool has_infinity = FindText(rest, "int_oo") != kNotFound;
  StatedRanges ranges;
  // "{2*s39: VR[4, 64], s27: ValueRanges(lower=2, upper=64, is_bool=False)}"
  while (true) {
    while (!rest.empty() && (IsBlankChar(rest[0]) || rest[0] == '{' || rest[0] == ',')) {
      rest.remove_prefix(1);
    }
    const size_t colon = FindText(rest, ": ");
    if (colon == kNotFound) break;
    const ExprId size = graphs.expressions.Parse(rest.substr(0, colon));
    rest.remove_prefix(colon + 2);
    const size_t close = rest.find_first_of("])");
    if (close == kNotFound) break;
    const std::optional<Interval> range = ParseInterval(rest.substr(0, close + 1), has_infinity);
    rest.remove_prefix(close + 1);
    if (size == ExprId::kNone) {
      graphs.stats.Bump(Stat::graph_expression_unknown, graphs.graphs[graph].input, line.number);
    } else if (range) {
      ranges.Add(graphs.expressions, size, *range);
    }
  }
  ranges.Apply(graphs, graph);
}

}  // namespace shapewise
