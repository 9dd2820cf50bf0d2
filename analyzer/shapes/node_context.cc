#include "shapes/node_context.h"

#include <limits>
#include <utility>

#include "shapes/propagation.h"

namespace shapewise {

NodeContext::NodeContext(Propagation& propagation, uint32_t node, const OperatorRule& rule,
                         const OperatorName& name)
    : propagation_(propagation), node_(node), rule_(rule), name_(name) {
  const GraphModel& graph = propagation_.graph();
  const GraphNode& model = graph.nodes[node_];
  while (num_positional_ < model.num_arguments &&
         graph.arguments[model.first_argument + num_positional_].keyword == StrId::kNone) {
    ++num_positional_;
  }
}

ExprPool& NodeContext::pool() const { return propagation_.graphs().expressions; }
ExprId NodeContext::symbol() const { return propagation_.symbol(); }

// TorchScript names its constants; lists are nodes as well.
const Argument* NodeContext::Resolve(const Argument* argument) const {
  const GraphModel& graph = propagation_.graph();
  if (argument->kind == Argument::Kind::kValue && argument->index < graph.values.size()) {
    const uint32_t producer = graph.values[argument->index].node;
    if (producer != kNoIndex && propagation_.TargetOf(producer) == "prim::Constant") {
      const GraphNode& constant = graph.nodes[producer];
      if (constant.num_arguments == 0) return nullptr;
      argument = &graph.arguments[constant.first_argument];
    }
  }
  return argument->kind == Argument::Kind::kNone ? nullptr : argument;
}

const Argument* NodeContext::Find(size_t position,
                                  std::initializer_list<std::string_view> keywords) const {
  const GraphModel& graph = propagation_.graph();
  const GraphNode& model = graph.nodes[node_];
  if (position < num_positional_) return Resolve(&graph.arguments[model.first_argument + position]);
  for (const std::string_view keyword : keywords) {
    if (const Argument* argument = FindKeyword(keyword)) return argument;
  }
  return nullptr;
}

const Argument* NodeContext::FindKeyword(std::string_view keyword) const {
  const GraphModel& graph = propagation_.graph();
  const GraphNode& model = graph.nodes[node_];
  for (uint32_t i = static_cast<uint32_t>(num_positional_); i < model.num_arguments; ++i) {
    const Argument& argument = graph.arguments[model.first_argument + i];
    if (propagation_.graphs().strings.text(argument.keyword) == keyword) return Resolve(&argument);
  }
  return nullptr;
}

ArgumentList NodeContext::Elements(const Argument* list) const {
  ArgumentList elements;
  if (list == nullptr) return elements;
  const GraphModel& graph = propagation_.graph();
  if (list->IsSequence()) {
    for (uint32_t i = 0; i < list->num_children; ++i) {
      elements.push_back(&graph.arguments[list->first_child + i]);
    }
    return elements;
  }
  if (list->kind == Argument::Kind::kValue && list->index < graph.values.size()) {
    const uint32_t producer = graph.values[list->index].node;
    if (producer != kNoIndex) {
      const std::string_view target = propagation_.TargetOf(producer);
      if (target == "prim::ListConstruct" || target == "prim::TupleConstruct") {
        const GraphNode& construct = graph.nodes[producer];
        for (uint32_t i = 0; i < construct.num_arguments; ++i) {
          elements.push_back(&graph.arguments[construct.first_argument + i]);
        }
        return elements;
      }
      if (target == "torch.Size" && graph.nodes[producer].num_arguments == 1) {
        const Argument& sizes = graph.arguments[graph.nodes[producer].first_argument];
        for (uint32_t i = 0; i < sizes.num_children; ++i) {
          elements.push_back(&graph.arguments[sizes.first_child + i]);
        }
        return elements;
      }
    }
  }
  elements.push_back(list);
  return elements;
}

ArgumentList NodeContext::IndexEntries(const Argument* index) const {
  if (index->IsSequence()) return Elements(index);
  return {index};
}

bool NodeContext::IsEllipsis(const Argument* entry) const {
  const bool is_text =
      entry->kind == Argument::Kind::kConstant || entry->kind == Argument::Kind::kText;
  return is_text && (Text(entry) == "Ellipsis" || Text(entry) == "...");
}

ArgumentList NodeContext::Varargs(size_t position, std::string_view keyword) const {
  const Argument* first = Find(position, {keyword});
  if (first == nullptr || position >= num_positional_ || position + 1 >= num_positional_ ||
      Elements(first).size() != 1 || first->IsSequence()) {
    return Elements(first);
  }
  ArgumentList elements;
  for (size_t i = position; i < num_positional_; ++i) {
    if (const Argument* element = Find(i)) elements.push_back(element);
  }
  return elements;
}

std::optional<int64_t> NodeContext::Int(const Argument* argument) const {
  if (argument == nullptr) return std::nullopt;
  argument = Resolve(argument);
  if (argument == nullptr) return std::nullopt;
  if (argument->kind == Argument::Kind::kInt || argument->kind == Argument::Kind::kBool) {
    return argument->integer;
  }
  const ExprId size = Size(argument);
  if (pool().kind(size) == ExprKind::kInteger) return pool().value(size);
  return std::nullopt;
}

int64_t NodeContext::IntOr(const Argument* argument, int64_t otherwise) const {
  return Int(argument).value_or(otherwise);
}

bool NodeContext::BoolOr(const Argument* argument, bool otherwise) const {
  if (argument == nullptr) return otherwise;
  if (argument->kind == Argument::Kind::kBool || argument->kind == Argument::Kind::kInt) {
    return argument->integer != 0;
  }
  return otherwise;
}

std::optional<double> NodeContext::Number(const Argument* argument) const {
  if (argument == nullptr) return std::nullopt;
  argument = Resolve(argument);
  if (argument == nullptr) return std::nullopt;
  switch (argument->kind) {
    case Argument::Kind::kInt:
    case Argument::Kind::kBool:
      return static_cast<double>(argument->integer);
    case Argument::Kind::kFloat:
      return argument->number;
    case Argument::Kind::kConstant:
    case Argument::Kind::kText:
    case Argument::Kind::kString: {
      std::string_view text = propagation_.graphs().strings.text(argument->text);
      const bool is_negative = text.starts_with('-');
      if (is_negative) text.remove_prefix(1);
      if (text != "inf" && text != "math.inf" && text != "float('inf')") return std::nullopt;
      const double infinity = std::numeric_limits<double>::infinity();
      return is_negative ? -infinity : infinity;
    }
    case Argument::Kind::kValue: {
      const ExprId size = Size(argument);
      if (pool().kind(size) == ExprKind::kInteger) return static_cast<double>(pool().value(size));
      return std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

std::string_view NodeContext::Text(const Argument* argument) const {
  if (argument == nullptr) return {};
  return propagation_.graphs().strings.text(argument->text);
}

ExprId NodeContext::Size(const Argument* argument) const {
  if (argument == nullptr) return ExprId::kNone;
  argument = Resolve(argument);
  if (argument == nullptr) return ExprId::kNone;
  switch (argument->kind) {
    case Argument::Kind::kInt:
      return pool().Integer(argument->integer);
    case Argument::Kind::kValue: {
      if (argument->index >= propagation_.graph().values.size()) return ExprId::kNone;
      return propagation_.SlotOf(argument->index).number;
    }
    case Argument::Kind::kText:
      return pool().Parse(Text(argument));
    default:
      return ExprId::kNone;
  }
}

bool NodeContext::IsPaddedSize(const Argument* argument) const {
  if (symbol() == ExprId::kNone || argument == nullptr) return false;
  if (argument->kind == Argument::Kind::kValue) {
    if (argument->index >= propagation_.graph().values.size()) return false;
    return propagation_.SlotOf(argument->index).kind == Propagation::Slot::Kind::kNumber &&
           propagation_.IsAffected(argument->index);
  }
  if (argument->kind == Argument::Kind::kText) {
    return propagation_.DependsOnSymbol(pool().Parse(Text(argument)));
  }
  return false;
}

bool NodeContext::IsTensor(const Argument* argument) const {
  if (ValueOf(argument) == kNoIndex) return false;
  const Propagation::Slot& slot = propagation_.SlotOf(argument->index);
  return slot.kind == Propagation::Slot::Kind::kTensor ||
         slot.kind == Propagation::Slot::Kind::kNone;
}

bool NodeContext::IsOfType(const Argument* argument, std::string_view dtype) const {
  const uint32_t value = ValueOf(argument);
  if (value == kNoIndex) return false;
  const uint32_t type = propagation_.graph().values[value].type;
  const GraphSet& graphs = propagation_.graphs();
  return type != kNoIndex && graphs.strings.text(graphs.types[type].dtype) == dtype;
}

std::optional<std::vector<ExprId>> NodeContext::WholeShape(const Argument* argument) const {
  const uint32_t value = ValueOf(argument);
  const GraphModel& graph = propagation_.graph();
  const uint32_t producer = value == kNoIndex ? kNoIndex : graph.values[value].node;
  if (producer == kNoIndex || propagation_.TargetOf(producer) != "size") return std::nullopt;
  const GraphNode& node = graph.nodes[producer];
  if (node.num_arguments != 1) return std::nullopt;
  const uint32_t tensor = ValueOf(&graph.arguments[node.first_argument]);
  if (tensor == kNoIndex) return std::nullopt;
  return propagation_.ShapeOf(tensor);
}

uint32_t NodeContext::ValueOf(const Argument* argument) const {
  if (argument == nullptr || argument->kind != Argument::Kind::kValue ||
      argument->index >= propagation_.graph().values.size()) {
    return kNoIndex;
  }
  return argument->index;
}

std::optional<llvm::SmallVector<size_t, 6>> NodeContext::Dims(const Argument* argument,
                                                              size_t rank) const {
  llvm::SmallVector<size_t, 6> dims;
  for (const Argument* element : Elements(argument)) {
    const std::optional<int64_t> dim = Int(element);
    if (!dim) return std::nullopt;
    const std::optional<size_t> normalized = NormalizeDim(*dim, rank);
    if (!normalized) return std::nullopt;
    if (rank != 0) dims.push_back(*normalized);
  }
  if (dims.empty()) {
    for (size_t dim = 0; dim < rank; ++dim) dims.push_back(dim);
  }
  return dims;
}

std::optional<size_t> NodeContext::DimOf(const TensorState& state, size_t position,
                                         std::optional<int64_t> otherwise) const {
  std::optional<int64_t> dim = Int(Find(position, {"dim", "axis", "dimension"}));
  if (!dim) dim = otherwise;
  return dim && state.has_rank ? NormalizeDim(*dim, state.rank) : std::nullopt;
}

TensorState NodeContext::State(const Argument* argument) const {
  TensorState state;
  if (argument == nullptr) return state;
  if (ValueOf(argument) != kNoIndex) {
    const std::optional<double> constant = Number(argument);
    const Propagation::Slot& slot = propagation_.SlotOf(argument->index);
    if (!constant && slot.kind != Propagation::Slot::Kind::kNumber) {
      return propagation_.StateOf(slot);
    }
    state.has_rank = true;
    if (constant) state.real = Fill::Number(*constant);
    return state;
  }
  if (const std::optional<double> number = Number(argument)) {
    state.has_rank = true;
    state.real = Fill::Number(*number);
  } else if (!argument->IsSequence()) {
    state.has_rank = true;
  }
  return state;
}

TensorState NodeContext::Operand(size_t position,
                                 std::initializer_list<std::string_view> keywords) const {
  return State(Find(position, keywords));
}

std::string NodeContext::SymbolText() const { return pool().ToText(symbol()); }

std::string NodeContext::DimText(const TensorState& state, size_t dim) const {
  std::string text = "dim " + std::to_string(dim);
  std::string size;
  for (const Axis& axis : state.Dim(dim)) {
    if (!size.empty()) size += " x ";
    size += pool().ToText(axis.size);
  }
  return size.empty() ? text : text + " (" + size + ")";
}

void NodeContext::Return(TensorState state) {
  has_result_ = true;
  results_.clear();
  results_.push_back(std::move(state));
}

void NodeContext::ReturnTuple(llvm::SmallVector<TensorState, 2> states) {
  has_result_ = true;
  is_tuple_ = true;
  results_ = std::move(states);
}

void NodeContext::ReturnNumber(ExprId value) {
  has_result_ = true;
  is_number_ = true;
  number_ = value;
}

void NodeContext::Contaminate(std::string why, bool is_shown) {
  if (quality_ == Quality::kContaminated) return;
  quality_ = Quality::kContaminated;
  why_ = std::move(why);
  is_shown_ = is_shown;
}

bool NodeContext::ContaminatesPadded(const TensorState& state, size_t dim, const std::string& why) {
  if (!state.IsPadded(dim)) return false;
  Contaminate(why + " " + DimText(state, dim) + ", which is padded");
  return true;
}

void NodeContext::Unknown(std::string why) {
  if (quality_ != Quality::kRight) return;
  quality_ = Quality::kUnknown;
  why_ = std::move(why);
}

void NodeContext::UnknownForSome(std::string why) {
  if (quality_ == Quality::kRight) depends_on_real_ = true;
  Unknown(std::move(why));
}

void NodeContext::Spoil(std::string why, bool is_shown) {
  spoiled_by_ = {node_, std::move(why), is_shown};
}

void NodeContext::Inherit(Quality quality, uint32_t cause) {
  quality_ = quality;
  inherited_cause_ = cause;
}

void NodeContext::Note(std::string why) { note_ = std::move(why); }

}  // namespace shapewise
