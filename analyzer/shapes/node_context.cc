#include "shapes/node_context.h"

#include <limits>
#include <span>
#include <utility>

#include "shapes/propagation.h"

namespace shapewise {

NodeContext::NodeContext(Propagation& propagation, uint32_t node, const OperatorRule& rule,
                         const OperatorName& name)
    : propagation_(propagation), node_(node), rule_(rule), name_(name) {
  for (const Argument& argument :
       propagation.graph().ArgumentsOf(propagation.graph().nodes[node])) {
    if (argument.keyword != StrId::kNone) break;
    ++num_positional_;
  }
}

NodeContext::NodeContext(Propagation& propagation, uint32_t node)
    : NodeContext(propagation, node, *propagation.RuleOf(node), propagation.NameOf(node)) {}

ExprPool& NodeContext::pool() const { return propagation_.graphs().expressions; }

ExprId NodeContext::symbol() const { return propagation_.symbol(); }

// TorchScript names its constants; lists are nodes as well.
const Argument* NodeContext::Resolve(const Argument* argument) const {
  const uint32_t producer = ProducerOf(argument);
  if (producer != kNoIndex && propagation_.TargetOf(producer) == "prim::Constant") {
    const GraphModel& graph = propagation_.graph();
    const GraphNode& constant = graph.nodes[producer];
    if (constant.num_arguments == 0) return nullptr;
    argument = &graph.arguments[constant.first_argument];
  }
  return argument == nullptr || argument->kind == Argument::Kind::kNone ? nullptr : argument;
}

const Argument* NodeContext::Find(size_t position,
                                  std::initializer_list<std::string_view> keywords) const {
  const GraphModel& graph = propagation_.graph();
  if (position < num_positional_) return Resolve(&graph.ArgumentsOf(graph.nodes[node_])[position]);
  for (const std::string_view keyword : keywords) {
    if (const Argument* argument = FindKeyword(keyword)) return argument;
  }
  return nullptr;
}

const Argument* NodeContext::FindKeyword(std::string_view keyword) const {
  const GraphModel& graph = propagation_.graph();
  for (const Argument& argument : graph.ArgumentsOf(graph.nodes[node_]).subspan(num_positional_)) {
    if (propagation_.graphs().strings.text(argument.keyword) == keyword) return Resolve(&argument);
  }
  return nullptr;
}

ArgumentList NodeContext::Elements(const Argument* list) const {
  ArgumentList elements;
  if (list == nullptr) return elements;
  const GraphModel& graph = propagation_.graph();
  std::span<const Argument> parts(list, 1);
  if (list->IsSequence()) {
    parts = graph.ChildrenOf(*list);
  } else if (const uint32_t producer = ProducerOf(list); producer != kNoIndex) {
    const std::string_view target = propagation_.TargetOf(producer);
    const std::span<const Argument> given = graph.ArgumentsOf(graph.nodes[producer]);
    if (target == "prim::ListConstruct" || target == "prim::TupleConstruct") parts = given;
    if (target == "torch.Size" && given.size() == 1) parts = graph.ChildrenOf(given[0]);
  }
  for (const Argument& part : parts) elements.push_back(&part);
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
    default:
      break;
  }
  const ExprId size = Size(argument);
  if (pool().kind(size) == ExprKind::kInteger) return static_cast<double>(pool().value(size));
  return std::nullopt;
}

std::string_view NodeContext::Text(const Argument* argument) const {
  if (argument == nullptr) return {};
  return propagation_.graphs().strings.text(argument->text);
}

ExprId NodeContext::Size(const Argument* argument) const {
  argument = Resolve(argument);
  if (argument == nullptr) return ExprId::kNone;
  switch (argument->kind) {
    case Argument::Kind::kInt:
      return pool().Integer(argument->integer);
    case Argument::Kind::kValue: {
      const uint32_t value = ValueOf(argument);
      return value == kNoIndex ? ExprId::kNone : propagation_.SlotOf(value).number;
    }
    case Argument::Kind::kText:
      return pool().Parse(Text(argument));
    default:
      return ExprId::kNone;
  }
}

bool NodeContext::IsPaddedSize(const Argument* argument) const {
  if (symbol() == ExprId::kNone || argument == nullptr) return false;
  if (argument->kind == Argument::Kind::kText) {
    return propagation_.DependsOnSymbol(pool().Parse(Text(argument)));
  }
  const uint32_t value = ValueOf(argument);
  return value != kNoIndex && propagation_.IsAffected(value) &&
         propagation_.SlotOf(value).kind == Propagation::Slot::Kind::kNumber;
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
  const GraphModel& graph = propagation_.graph();
  const uint32_t producer = ProducerOf(argument);
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

uint32_t NodeContext::ProducerOf(const Argument* argument) const {
  const uint32_t value = ValueOf(argument);
  return value == kNoIndex ? kNoIndex : propagation_.graph().values[value].node;
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
  if (argument == nullptr) return {};
  const std::optional<double> number = Number(argument);
  if (const uint32_t value = ValueOf(argument); value != kNoIndex && !number) {
    const Propagation::Slot& slot = propagation_.SlotOf(value);
    if (slot.kind != Propagation::Slot::Kind::kNumber) return propagation_.StateOf(slot);
  }
  TensorState state;
  state.has_rank = !argument->IsSequence();
  if (number) state.real = Fill::Number(*number);
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

ExprId NodeContext::WholeSize(const TensorState& state, size_t dim) const {
  ExprId size = pool().Integer(1);
  for (const Axis& axis : state.Dim(dim)) size = pool().Mul({size, axis.size});
  return size;
}

void NodeContext::Return(TensorState state) {
  result_.kind = NodeResult::Kind::kTensors;
  result_.states.clear();
  result_.states.push_back(std::move(state));
}

void NodeContext::ReturnTuple(llvm::SmallVector<TensorState, 2> states) {
  result_.kind = NodeResult::Kind::kTuple;
  result_.states = std::move(states);
}

void NodeContext::ReturnNumber(ExprId value) {
  result_.kind = NodeResult::Kind::kNumber;
  result_.number = value;
}

void NodeContext::Contaminate(std::string why, bool is_shown) {
  if (result_.quality == Quality::kContaminated) return;
  result_.quality = Quality::kContaminated;
  result_.cause.why = std::move(why);
  result_.cause.is_shown = is_shown;
}

void NodeContext::DoNotLineUp() {
  Contaminate("padded positions of its operands do not line up", /*is_shown=*/false);
}

bool NodeContext::ContaminatesPadded(const TensorState& state, size_t dim, const std::string& why) {
  if (!state.IsPadded(dim)) return false;
  Contaminate(why + " " + DimText(state, dim) + ", which is padded");
  return true;
}

void NodeContext::Unknown(std::string why) {
  if (has_failed()) return;
  result_.quality = Quality::kUnknown;
  result_.cause.why = std::move(why);
}

void NodeContext::UnknownForSome(std::string why) {
  if (!has_failed()) result_.cause.depends_on_real = true;
  Unknown(std::move(why));
}

void NodeContext::Spoil(std::string why, bool is_shown) {
  result_.spoiled_by = {node_, std::move(why), is_shown};
}

void NodeContext::Inherit(Quality quality, uint32_t cause) {
  result_.quality = quality;
  result_.inherited_cause = cause;
}

void NodeContext::Note(std::string why) { result_.note = std::move(why); }

}  // namespace shapewise
