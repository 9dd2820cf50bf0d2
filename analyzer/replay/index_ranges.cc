#include "replay/inputs.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace shapewise::replay {
namespace {

/// "aten.index_select.default", "torch.index_select", the method "index_select" -> "index_select".
std::string_view BaseName(const ProgramNode& node) {
  std::string_view target = node.target;
  constexpr std::string_view kOperators[] = {"aten.", "prims."};
  for (const std::string_view prefix : kOperators) {
    if (!target.starts_with(prefix)) continue;
    target.remove_prefix(prefix.size());
    return target.substr(0, target.find('.'));
  }
  return target.substr(target.rfind('.') + 1);
}

/// Whether the arguments are in the order of torch.nn.functional.
bool IsFunctional(const ProgramNode& node) {
  return node.target.starts_with("torch.nn.functional.");
}

/// Statements whose result contains the elements of their first argument.
bool PassesElementsOn(std::string_view name) {
  constexpr std::string_view kNames =
      " view _unsafe_view reshape unsqueeze squeeze expand transpose permute t contiguous "
      "clone to _to_copy flatten unflatten slice select getitem long int alias detach unbind "
      "split chunk narrow cat stack concat repeat copy lift_fresh_copy convert_element_type "
      "expand_as repeat_interleave split_with_sizes movedim swapaxes flip roll ";
  return kNames.find(" " + std::string(name) + " ") != std::string_view::npos;
}

/// An operator with an argument that indexes elements of a dim of another argument.
struct IndexUse {
  std::string_view name;
  size_t index;      ///< index of the argument with indices
  size_t table;      ///< index of the argument that is indexed
  int dim_argument;  ///< index of the argument with the dim; kClasses, or -2 - dim for a fixed dim
  bool functional;   ///< in the order of torch.nn.functional
};

constexpr int kClasses = -1;  // dim 1, or dim 0 of a one-dimensional tensor
constexpr int Fixed(int dim) { return -2 - dim; }

constexpr IndexUse kUses[] = {
    {"embedding", 1, 0, Fixed(0), false},
    {"embedding", 0, 1, Fixed(0), true},
    {"embedding_bag", 1, 0, Fixed(0), false},
    {"_embedding_bag", 1, 0, Fixed(0), false},
    {"embedding_bag", 0, 1, Fixed(0), true},
    {"index_select", 2, 0, 1, false},
    {"index_add", 2, 0, 1, false},
    {"index_add_", 2, 0, 1, false},
    {"index_copy", 2, 0, 1, false},
    {"index_fill", 2, 0, 1, false},
    {"gather", 2, 0, 1, false},
    {"scatter", 2, 0, 1, false},
    {"scatter_", 2, 0, 1, false},
    {"scatter_add", 2, 0, 1, false},
    {"scatter_add_", 2, 0, 1, false},
    {"scatter_reduce", 2, 0, 1, false},
    {"take_along_dim", 1, 0, 2, false},
    {"nll_loss_forward", 1, 0, kClasses, false},
    {"nll_loss2d_forward", 1, 0, kClasses, false},
    {"nll_loss_nd", 1, 0, kClasses, false},
    {"nll_loss", 1, 0, kClasses, false},
    {"nll_loss", 1, 0, kClasses, true},
    {"nll_loss_backward", 2, 1, kClasses, false},
    {"cross_entropy_loss", 1, 0, kClasses, false},
    {"cross_entropy", 1, 0, kClasses, true},
};

/// Follows inputs from statement to statement.
class Follower {
 public:
  Follower(const Program& program, const Bindings& bindings)
      : program_(program),
        bindings_(bindings),
        origin_(program.slot_names.size()),
        type_(program.slot_names.size(), nullptr),
        ranges_(program.inputs.size()) {
    for (size_t i = 0; i < program.inputs.size(); ++i) {
      const ProgramInput& input = program.inputs[i];
      type_[input.slot] = &input.type;
      if (input.type.dtype && c10::isIntegralType(*input.type.dtype, /*includeBool=*/false)) {
        origin_[input.slot] = {i};
      }
    }
  }

  std::vector<std::optional<int64_t>> Follow() {
    for (const ProgramNode& node : program_.nodes) {
      const std::string_view name = BaseName(node);
      Use(node, name);
      for (size_t i = 0; i < node.outputs.size(); ++i) type_[node.outputs[i]] = &node.types[i];
      if (node.outputs.empty() || node.args.empty() || !PassesElementsOn(name)) continue;
      for (const uint32_t output : node.outputs) origin_[output] = OriginsOf(node.args[0]);
    }
    return std::move(ranges_);
  }

 private:
  /// The inputs whose elements are in `argument` or its elements.
  std::vector<size_t> OriginsOf(const ProgramArgument& argument) const {
    if (argument.kind == ProgramArgument::Kind::kSlot) return origin_[argument.slot];
    std::vector<size_t> origins;
    for (const ProgramArgument& child : argument.children) {
      for (const size_t origin : OriginsOf(child)) origins.push_back(origin);
    }
    std::ranges::sort(origins);
    origins.erase(std::unique(origins.begin(), origins.end()), origins.end());
    return origins;
  }

  /// The dims of the tensor `argument`; null: unknown.
  const std::vector<SizeExpression>* ShapeOf(const ProgramArgument& argument) const {
    if (argument.kind != ProgramArgument::Kind::kSlot) return nullptr;
    const ProgramType* type = type_[argument.slot];
    return type != nullptr && type->shape ? &*type->shape : nullptr;
  }

  void Limit(const std::vector<size_t>& origins, std::optional<int64_t> size) {
    if (!size || *size < 1) return;
    for (const size_t origin : origins) {
      ranges_[origin] = std::min(ranges_[origin].value_or(*size), *size);
    }
  }

  std::optional<int64_t> SizeOf(const ProgramArgument& table, int64_t dim) const {
    const std::vector<SizeExpression>* shape = ShapeOf(table);
    if (shape == nullptr) return {};
    const auto num_dims = static_cast<int64_t>(shape->size());
    if (dim < 0) dim += num_dims;
    if (dim < 0 || dim >= num_dims) return {};
    return Evaluate((*shape)[dim], bindings_);
  }

  const ProgramArgument* FindArgument(const ProgramNode& node, size_t position,
                                      std::string_view name) const {
    if (position < node.args.size()) return &node.args[position];
    for (const auto& [keyword, argument] : node.kwargs) {
      if (keyword == name) return &argument;
    }
    return nullptr;
  }

  int64_t DimOf(const IndexUse& use, const ProgramNode& node, const ProgramArgument& table) const {
    if (use.dim_argument == kClasses) {
      const std::vector<SizeExpression>* shape = ShapeOf(table);
      return shape != nullptr && shape->size() > 1 ? 1 : 0;
    }
    if (use.dim_argument < 0) return -2 - use.dim_argument;
    const ProgramArgument* dim = FindArgument(node, use.dim_argument, "dim");
    const bool is_reported = dim != nullptr && dim->constant.IsInt();
    return is_reported ? dim->constant.AsInt() : 0;
  }

  void Use(const ProgramNode& node, std::string_view name) {
    if (name == "index" || name == "_unsafe_index" || name == "index_put" || name == "index_put_" ||
        name == "getitem" || name == "setitem") {
      UseSubscript(node);
    } else if (name == "one_hot" && node.args.size() == 2 && node.args[1].constant.IsInt()) {
      Limit(OriginsOf(node.args[0]), node.args[1].constant.AsInt());
    } else if (name == "embedding_dense_backward" && node.args.size() > 2 &&
               node.args[2].constant.IsInt()) {
      Limit(OriginsOf(node.args[1]), node.args[2].constant.AsInt());
    } else if (name == "max_pool2d_with_indices_backward") {
      UsePooledPositions(node);
    }
    for (const IndexUse& use : kUses) {
      if (use.name != name || use.functional != IsFunctional(node)) continue;
      const ProgramArgument* index = FindArgument(node, use.index, "index");
      const ProgramArgument* table = FindArgument(node, use.table, "input");
      if (index == nullptr || table == nullptr) continue;
      Limit(OriginsOf(*index), SizeOf(*table, DimOf(use, node, *table)));
    }
  }

  /// x[a, None, b]: a tensor indexes its dim.
  void UseSubscript(const ProgramNode& node) {
    if (node.args.size() < 2) return;
    const ProgramArgument& subscript = node.args[1];
    if (subscript.kind == ProgramArgument::Kind::kSlot) {
      Limit(OriginsOf(subscript), SizeOf(node.args[0], 0));
      return;
    }
    const bool is_operator = node.target.starts_with("aten.");
    int64_t dim = 0;
    for (const ProgramArgument& index : subscript.children) {
      // In Python None adds a dim, and `...` covers several.
      const bool is_none =
          index.kind == ProgramArgument::Kind::kConstant && index.constant.IsNone();
      if (index.constant.kind() == Value::Kind::kEllipsis) return;
      if (index.kind == ProgramArgument::Kind::kSlot) {
        Limit(OriginsOf(index), SizeOf(node.args[0], dim));
      }
      if (!is_none || is_operator) ++dim;
    }
  }

  /// (grad, input, kernel, stride, padding, dilation, ceil_mode, indices).
  void UsePooledPositions(const ProgramNode& node) {
    if (node.args.size() < 8) return;
    const std::optional<int64_t> height = SizeOf(node.args[1], -2);
    const std::optional<int64_t> width = SizeOf(node.args[1], -1);
    int64_t positions = 0;
    if (height && width && !__builtin_mul_overflow(*height, *width, &positions)) {
      Limit(OriginsOf(node.args[7]), positions);
    }
  }

  const Program& program_;
  const Bindings& bindings_;
  std::vector<std::vector<size_t>> origin_;  ///< by slot: inputs
  std::vector<const ProgramType*> type_;     ///< by slot
  std::vector<std::optional<int64_t>> ranges_;
};

}  // namespace

std::vector<std::optional<int64_t>> FindIndexRanges(const Program& program,
                                                    const Bindings& bindings) {
  return Follower(program, bindings).Follow();
}

}  // namespace shapewise::replay
