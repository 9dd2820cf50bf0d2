#include "dynamo/body_parts.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "llvm/ADT/STLExtras.h"
#include "model/source_ref.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

using Shape = std::vector<ExprId>;

class InputReader {
 public:
  InputReader(const HandingOver& from, const TracedCompile& compile, ExprPool& pool)
      : before_(*from.compile),
        parent_(*from.frame),
        probes_(from.probes),
        compile_(compile),
        pool_(pool) {}

  ResumeInput Read(const BodySource& source) {
    ResumeInput input;
    input.source = source.source;
    input.use = source.use;
    const auto tensor = compile_.tensors.find(source.source);
    if (tensor != compile_.tensors.end()) {
      ReadTensor(tensor->second, input);
    } else {
      ReadValue(input);
    }
    return input;
  }

  /// Whether its origin was found.
  bool IsKnown(const ResumeInput& input) const {
    if (!input.same_as.empty() || input.value != ExprId::kNone) return true;
    const auto tensor = compile_.tensors.find(input.source);
    return tensor != compile_.tensors.end() && !tensor->second.is_marked &&
           std::ranges::find(input.sizes, ExprId::kNone) == input.sizes.end();
  }

 private:
  /// Its value when the parent was compiled.
  std::optional<int64_t> ValueOf(ExprId expression) const {
    if (expression == ExprId::kNone) return std::nullopt;
    return pool_.Evaluate(expression, [&](ExprId symbol) -> std::optional<int64_t> {
      const TracedSymbol* const known = before_.SymbolOf(pool_.name(symbol));
      return known == nullptr ? before_.SizeOf(pool_.name(symbol)) : known->hint;
    });
  }

  bool HasValues(const Shape& shape, const std::vector<int64_t>& sizes) const {
    if (shape.size() != sizes.size()) return false;
    for (size_t dim = 0; dim < shape.size(); ++dim) {
      if (ValueOf(shape[dim]) != sizes[dim]) return false;
    }
    return true;
  }

  /// The shape of an input tensor of the parent, in the symbols of `traced`.
  Shape ShapeOf(const TracedCompile& traced, const std::string& source,
                const TracedTensor& tensor) const {
    Shape shape;
    for (size_t dim = 0; dim < tensor.sizes.size(); ++dim) {
      const std::string name = PropertyText(source, SourceRef::Property::kSize, dim);
      shape.push_back(traced.IsSymbolic(name) ? pool_.Symbol(name)
                                              : pool_.Integer(tensor.sizes[dim]));
    }
    return shape;
  }

  /// `expression` over the parent's inputs, in terms of those of the first frame.
  ExprId OverFirst(ExprId expression) const {
    if (expression == ExprId::kNone || parent_.inputs.empty()) return expression;
    bool is_known = true;
    const ExprId over = pool_.Substitute(expression, [&](ExprId symbol) {
      const std::string name(pool_.name(symbol));
      const SourceRef source = ParseSource(name);
      const auto input = std::ranges::find(parent_.inputs, source.object, &ResumeInput::source);
      ExprId value = ExprId::kNone;
      if (input != parent_.inputs.end()) value = PartOf(*input, source, name);
      if (value == ExprId::kNone) is_known = false;
      return value == ExprId::kNone ? symbol : value;
    });
    return is_known ? over : ExprId::kNone;
  }

  /// The property of a parent's input that `part`, printed as `name`, refers to.
  ExprId PartOf(const ResumeInput& input, const SourceRef& part, const std::string& name) const {
    if (!input.same_as.empty()) {
      return pool_.Symbol(input.same_as + name.substr(part.object.size()));
    }
    if (part.property == SourceRef::Property::kValue) return input.value;
    const auto dim = static_cast<size_t>(part.dim);
    const bool is_size = part.property == SourceRef::Property::kSize;
    return is_size && dim < input.sizes.size() ? input.sizes[dim] : ExprId::kNone;
  }

  /// The first frame's name of the parent's input `source`.
  std::string FirstName(const std::string& source) const {
    if (parent_.inputs.empty()) return source;
    const auto input = std::ranges::find(parent_.inputs, source, &ResumeInput::source);
    return input == parent_.inputs.end() ? std::string() : input->same_as;
  }

  void ReadTensor(const TracedTensor& tensor, ResumeInput& input) {
    // Marks stay on the object: it is passed on unchanged.
    if (tensor.is_marked) {
      for (const auto& [source, given] : before_.tensors) {
        if (!given.is_marked || given.sizes != tensor.sizes) continue;
        if (!input.same_as.empty() && source != input.source) continue;
        input.same_as = FirstName(source);
      }
    }
    Shape found;
    for (const Shape& shape : Candidates()) {
      if (found.empty() && HasValues(shape, tensor.sizes)) found = shape;
    }
    input.sizes.assign(tensor.sizes.size(), ExprId::kNone);
    for (size_t dim = 0; dim < found.size(); ++dim) input.sizes[dim] = OverFirst(found[dim]);
  }

  std::vector<Shape> Candidates() const {
    std::vector<Shape> shapes;
    for (const TracedCompile& probe : probes_) AddShapes(probe, shapes);
    AddShapes(before_, shapes);
    return shapes;
  }

  void AddShapes(const TracedCompile& traced, std::vector<Shape>& shapes) const {
    shapes.insert(shapes.end(), traced.node_shapes.begin(), traced.node_shapes.end());
    for (const auto& [source, tensor] : traced.tensors) {
      shapes.push_back(ShapeOf(traced, source, tensor));
    }
  }

  /// Whether guards of `compile` name a local source, but neither its value nor a size.
  static bool IsObject(const TracedCompile& compile, const std::string& source) {
    return std::ranges::find(compile.looked_at, source) != compile.looked_at.end() &&
           !compile.constants.contains(source) && !compile.tensors.contains(source) &&
           compile.SymbolOf(source) == nullptr;
  }

  void ReadValue(ResumeInput& input) {
    const auto constant = compile_.constants.find(input.source);
    const TracedSymbol* const symbol = compile_.SymbolOf(input.source);
    // The same name with the same value is the same variable, unless it was overwritten.
    const auto given = before_.constants.find(input.source);
    const TracedSymbol* const given_symbol = before_.SymbolOf(input.source);
    std::optional<int64_t> value;
    if (symbol != nullptr) {
      value = symbol->hint;
    } else if (constant != compile_.constants.end()) {
      value = ParseNumber(constant->second);
    }
    const bool is_same_constant = constant != compile_.constants.end() &&
                                  given != before_.constants.end() &&
                                  given->second == constant->second;
    const bool is_same_symbol =
        value && given_symbol != nullptr && given_symbol->hint.value_or(~*value) == *value;
    if (is_same_constant || is_same_symbol) {
      input.same_as = FirstName(input.source);
      return;
    }
    if (IsObject(compile_, input.source) && IsObject(before_, input.source)) {
      input.same_as = FirstName(input.source);
    }
    if (!value) return;
    const TracedSymbol* only = nullptr;
    for (const TracedSymbol& other : before_.symbols) {
      if (other.hint.value_or(~*value) != *value) continue;
      if (only != nullptr) return;
      only = &other;
    }
    if (only != nullptr) input.value = OverFirst(pool_.Symbol(only->source));
  }

  const TracedCompile& before_;
  const BodyFrame& parent_;
  std::span<const TracedCompile> probes_;
  const TracedCompile& compile_;
  ExprPool& pool_;
};

/// The size or number that `source` names in the call of `compile`.
std::optional<int64_t> ValueIn(const TracedCompile& compile, std::string_view source) {
  if (const TracedSymbol* const symbol = compile.SymbolOf(source)) return symbol->hint;
  const auto constant = compile.constants.find(std::string(source));
  if (constant != compile.constants.end()) return ParseNumber(constant->second);
  return compile.SizeOf(source);
}

/// Whether everything that `traced` asked of its inputs has the same answer in the call of `other`:
/// then both took the same path.
bool HasAnswersOf(const TracedCompile& traced, const TracedCompile& other, ExprPool& pool) {
  const auto is_true = [&](const BodyQuestion& relation) {
    const auto value = [&](ExprId symbol) { return ValueIn(other, pool.name(symbol)); };
    return pool.Evaluate(relation.predicate, value) == 1;
  };
  const auto is_same = [&](const auto& constant) {
    const auto known = other.constants.find(constant.first);
    if (known != other.constants.end()) return known->second == constant.second;
    const std::optional<int64_t> value = ValueIn(other, constant.first);
    return value && value == ParseNumber(constant.second);
  };
  return traced.not_understood.empty() && traced.types == other.types &&
         llvm::all_of(traced.relations, is_true) && llvm::all_of(traced.constants, is_same);
}

/// Whether the frame was compiled after `compile` ran, before another of `before` was compiled.
bool IsFollowed(const TracedCompile& compile, Compiles before, Compiles frame) {
  const auto next = llvm::find_if(before, [&](const auto* other) { return other > &compile; });
  return llvm::any_of(frame, [&](const TracedCompile* own) {
    return own > &compile && (next == before.end() || own < *next);
  });
}

/// Whether each path of `before` was one that the frame was compiled after.
bool HasEachPath(Compiles before, Compiles frame, ExprPool& pool) {
  return llvm::all_of(before, [&](const TracedCompile* compile) {
    return IsFollowed(*compile, before, frame) ||
           llvm::any_of(before, [&](const TracedCompile* other) {
             return IsFollowed(*other, before, frame) &&
                    (HasAnswersOf(*other, *compile, pool) || HasAnswersOf(*compile, *other, pool));
           });
  });
}

/// What the compilations of the frame recorded of `source`; empty: one of them recorded nothing.
std::set<std::string_view> RecordedAs(const std::string& source, Compiles frame) {
  std::set<std::string_view> arguments;
  for (const TracedCompile* compile : frame) {
    const auto recorded = compile->passed.find(source);
    if (recorded == compile->passed.end()) return {};
    arguments.insert(recorded->second);
  }
  return arguments;
}

}  // namespace

std::vector<ResumeInput> ReadResumeInputs(const std::vector<HandingOver>& before,
                                          const TracedCompile& compile, const BodyFrame& frame,
                                          ExprPool& pool) {
  std::vector<ResumeInput> inputs;
  for (const BodySource& source : frame.sources) {
    if (source.use == SourceUse::kUnread || source.use == SourceUse::kStaticTensor) continue;
    if (source.use != SourceUse::kTensor && source.source.find("'].") != std::string::npos)
      continue;
    ResumeInput input;
    for (const HandingOver& from : before) {
      InputReader reader(from, compile, pool);
      input = reader.Read(source);
      if (reader.IsKnown(input)) break;
    }
    inputs.push_back(std::move(input));
  }
  return inputs;
}

void ReadPassedTensors(Compiles frame, llvm::ArrayRef<Compiles> before, ExprPool& pool,
                       std::vector<ResumeInput>& inputs) {
  const bool has_paths =
      llvm::all_of(before, [&](Compiles other) { return HasEachPath(other, frame, pool); });
  for (ResumeInput& input : inputs) {
    if (input.use != SourceUse::kTensor) continue;
    const std::set<std::string_view> arguments = RecordedAs(input.source, frame);
    input.differs = arguments.size() > 1;
    if (!has_paths || arguments.size() != 1) continue;
    input.same_as = *arguments.begin();
    input.is_new = input.same_as.empty();
  }
}

}  // namespace shapewise
