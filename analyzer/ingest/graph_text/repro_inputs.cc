#include "ingest/graph_text/repro_inputs.h"

#include <algorithm>
#include <utility>

#include "ingest/graph_text/finish_graph.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

/// Splits the arguments of a call, up to its closing parenthesis, at commas outside of brackets.
std::vector<std::string_view> SplitArguments(std::string_view text) {
  std::vector<std::string_view> parts;
  size_t depth = 0;
  size_t begin = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '(' || c == '[') ++depth;
    const bool is_end = c == ')' && depth == 0;
    if (is_end || (c == ',' && depth == 0)) {
      const std::string_view part = Trim(text.substr(begin, at - begin));
      if (!part.empty()) parts.push_back(part);
      begin = at + 1;
    }
    if (is_end) break;
    if ((c == ')' || c == ']') && depth > 0) --depth;
  }
  return parts;
}

/// "device(type='cuda', index=0)" -> "cuda:0"
std::string DeviceName(std::string_view text) {
  std::string name(TextBetween(text, "type='", "'"));
  const std::string_view index = TextBetween(text, "index=", ")");
  if (!index.empty()) name += ":" + std::string(index);
  return name;
}

}  // namespace

void ReproInputs::Begin(const GraphModel& graph) {
  value_of_name_.clear();
  device_of_storage_.clear();
  hints_.clear();
  for (const Placeholder& placeholder : graph.placeholders) {
    const GraphNode& node = graph.nodes[placeholder.node];
    value_of_name_[static_cast<uint32_t>(node.target)] = node.first_value;
    value_of_name_[static_cast<uint32_t>(graph.values[node.first_value].name)] = node.first_value;
  }
}

void ReproInputs::ReadLine(std::string_view line, uint64_t number, GraphModel& graph) {
  const size_t at = FindText(line, "reader.");
  std::string_view call = line.substr(at + 7);
  if (ConsumeFront(call, "storage(")) {
    const std::string_view name = Trim(line.substr(0, line.find('=')));
    const std::string_view device = TextBetween(call, "device=", "#");
    device_of_storage_[llvm::StringRef(name.data(), name.size())] =
        device.empty() ? "cpu" : DeviceName(device);
    return;
  }
  const size_t comment = line.rfind("# ");
  if (comment == kNotFound || comment < at) return;
  const StrId name = builder_.Intern(Trim(line.substr(comment + 2)));
  const auto found = value_of_name_.find(static_cast<uint32_t>(name));
  if (found == value_of_name_.end()) return;
  GraphValue& value = graph.values[found->second];
  if (ConsumeFront(call, "tensor(")) {
    ReadTensor(call, value, graph.input, number);
  } else if (ConsumeFront(call, "symint(")) {
    ReadSymbol(call, value, graph.input, number);
  }
}

void ReproInputs::ReadTensor(std::string_view call, GraphValue& value, uint32_t input,
                             uint64_t number) {
  const std::vector<std::string_view> parts = SplitArguments(call);
  if (parts.size() < 2) return;
  ValueType type;
  type.kind = ValueType::Kind::kTensor;
  const auto read_sizes = [&](std::string_view text, std::vector<ExprId>& sizes) {
    if (!ConsumeFront(text, "(")) return false;
    for (const std::string_view size : SplitArguments(text)) {
      sizes.push_back(builder_.types().ReadSize(size, input, number));
    }
    return true;
  };
  type.has_shape = read_sizes(parts[1], type.shape);
  std::string_view dtype = "torch.float32";
  type.requires_grad = false;
  for (size_t i = 2; i < parts.size(); ++i) {
    std::string_view part = parts[i];
    if (ConsumeFront(part, "dtype=")) {
      dtype = part;
    } else if (part == "requires_grad=True") {
      type.requires_grad = true;
    } else if (i == 2 && part.starts_with('(')) {
      type.has_stride = read_sizes(part, type.stride);
    }
  }
  if (type.has_shape && !type.has_stride) {
    // Left out where it is that of contiguous memory. Sizes below 1 count as 1 there; a symbol's
    // are not below.
    ExprPool& pool = builder_.graphs().expressions;
    type.has_stride = true;
    type.stride.assign(type.shape.size(), pool.Integer(1));
    for (size_t i = type.shape.size(); i-- > 1;) {
      const ExprId factors[] = {type.stride[i], type.shape[i]};
      type.stride[i - 1] = pool.Mul(factors);
    }
  }
  type.dtype = builder_.Intern(dtype);
  const auto device = device_of_storage_.find(llvm::StringRef(parts[0].data(), parts[0].size()));
  if (device != device_of_storage_.end()) type.device = builder_.Intern(device->second);
  value.type = builder_.graphs().InternType(std::move(type));
}

void ReproInputs::ReadSymbol(std::string_view call, GraphValue& value, uint32_t input,
                             uint64_t number) {
  const std::vector<std::string_view> parts = SplitArguments(call);
  if (parts.empty()) return;
  std::string_view digits = parts[0];
  const bool is_negative = ConsumeFront(digits, "-");
  const std::optional<int64_t> hint = ConsumeUint<int64_t>(digits);
  std::string_view expression = TextBetween(call, "expr='", "'");
  if (expression.empty()) return;
  ValueType type;
  type.kind = ValueType::Kind::kInt;
  type.expression = builder_.types().ReadSize(expression, input, number);
  value.type = builder_.graphs().InternType(std::move(type));
  if (!hint || !digits.empty()) return;
  hints_.emplace_back(expression, is_negative ? -*hint : *hint);
}

void ReproInputs::Finish(GraphModel& graph) {
  for (const auto& [name, hint] : hints_) {
    GraphSymbol* const symbol = FindSymbol(builder_.graphs(), graph, name);
    if (symbol != nullptr) symbol->hint = hint;
  }
  hints_.clear();
}

}  // namespace shapewise
