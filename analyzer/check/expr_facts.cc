#include "check/expr_facts.h"

#include <algorithm>
#include <set>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "source/outside.h"
#include "source/word_list.h"

namespace shapewise {
namespace {

/// Whether a function returns a tensor without dims if no dims are given.
bool IsReduction(std::string_view name) {
  return HasWord<
      "sum mean max min any all norm std var prod amax amin median count_nonzero argmax argmin "
      "dist "
      "logsumexp">(name);
}

/// Whether the result of a function has the shape of its arguments, broadcast.
bool IsElementwise(std::string_view name) {
  return HasWord<
      "abs exp log sqrt rsqrt sin cos tanh sigmoid relu gelu silu clamp clip clamp_min clamp_max "
      "float half double bfloat16 to type_as clone detach contiguous nan_to_num masked_fill "
      "softmax "
      "log_softmax square pow add sub mul div neg round floor ceil sign zeros_like ones_like "
      "empty_like full_like isnan isinf isfinite minimum maximum where logical_not logical_and "
      "logical_or erf reciprocal expm1 log1p leaky_relu elu softplus bool int long tan asin acos "
      "atan sinh cosh normalize">(name);
}

/// Substrings of names of functions with side effects: random numbers, output and the like.
constexpr std::string_view kEffects[] = {"rand",     "dropout",  "bernoulli", "multinomial",
                                         "normal",   "print",    "poisson",   "manual_seed",
                                         "backward", "register", "set_",      "save"};

/// Whether `made` creates a module without state and random numbers; false for null.
bool IsPureModule(const Expr* made) {
  return made != nullptr && made->kind == PythonExprKind::kCall &&
         HasWord<
             "Linear Bilinear Conv1d Conv2d Conv3d ConvTranspose1d LayerNorm RMSNorm GroupNorm "
             "Embedding ConvTranspose2d Identity ReLU GELU SiLU Tanh Sigmoid Softmax ELU LeakyReLU "
             "Softplus LogSoftmax Flatten MaxPool2d AvgPool2d Upsample PixelShuffle Hardswish "
             "ReLU6 "
             "Mish">(LastName(*made->left));
}

bool IsNumber(const Expr& expr) {
  if (expr.kind == PythonExprKind::kInteger || expr.kind == PythonExprKind::kFloat) return true;
  return expr.kind == PythonExprKind::kUnary && IsNumber(*expr.left);
}

/// Whether a dotted name is one of torch's functions: "torch.abs", "F.relu".
bool IsTorchFunction(const Expr& callee) {
  return HasBeginning<"torch. F. nn.functional.">(DottedName(callee));
}

/// Whether a call of the function `name`, or of the method of a tensor, returns a tensor according
/// to the tables. torch.distributed.get_world_size(), x.size() and x.max(dim=1) do not.
bool GivesTensor(std::string_view name, const Expr& call, bool is_method) {
  const Value tensor{.kind = ValueKind::kTensor};
  llvm::SmallVector<Value, 4> values;
  llvm::SmallVector<std::string_view, 4> keywords;
  for (const CallArgument& argument : call.arguments) {
    const bool is_first = values.empty() && !is_method;
    const bool is_number = argument.value->kind == PythonExprKind::kInteger;
    values.push_back(is_first ? tensor
                              : Value{.kind = is_number ? ValueKind::kInt : ValueKind::kUnknown});
    keywords.push_back(argument.stars == 2 ? std::string_view("**") : argument.keyword);
  }
  const OutsideEffect effect = EffectOf({.name = name,
                                         .subject = is_method ? tensor : Value{},
                                         .arguments = values,
                                         .keywords = keywords});
  return effect.is_known && effect.result.IsTensor();
}

/// The full name of a torch function that is called by its usual short name.
std::string TorchName(const Expr& callee) {
  std::string name = DottedName(callee);
  const std::string_view dotted(name);
  if (dotted.starts_with("F.")) return "torch.nn.functional." + name.substr(2);
  if (dotted.starts_with("nn.")) return "torch." + name;
  return name;
}

/// `Tensor`, `torch.Tensor`, `torch.LongTensor`; not a list or an option of them.
bool IsTensorType(const Expr& annotation) {
  if (annotation.kind == PythonExprKind::kString) {
    return HasWord<"Tensor torch.Tensor">(llvm::StringRef(annotation.text).trim("'\""));
  }
  return LastName(annotation).ends_with("Tensor");
}

bool IsText(const Expr& expr) {
  return expr.kind == PythonExprKind::kString || expr.kind == PythonExprKind::kFormatted;
}

bool HasEffectByName(std::string_view name) {
  if (name.ends_with("_") && !name.ends_with("__")) return true;
  // Methods of Python's containers that modify them, and those that read tensors.
  if (HasWord<"append extend insert pop popitem update remove clear sort write discard setdefault "
              "reverse item tolist">(name)) {
    return true;
  }
  return llvm::any_of(kEffects, [&](std::string_view effect) {
    return name.find(effect) != std::string_view::npos;
  });
}

/// Whether the expression itself has side effects, apart from the expressions in it.
bool HasOwnEffect(const Expr& expr) {
  if (expr.kind == PythonExprKind::kNamed || expr.kind == PythonExprKind::kAwait ||
      expr.kind == PythonExprKind::kYield || expr.kind == PythonExprKind::kYieldFrom ||
      expr.kind == PythonExprKind::kUnreadable)
    return true;
  if (expr.kind != PythonExprKind::kCall) return false;
  const std::string_view name = LastName(*expr.left);
  const bool is_reading = name == "item" || name == "tolist";
  if (name.empty() || (HasEffectByName(name) && !is_reading)) return true;
  // A plain name may be any function: only Python's builtins are known to be harmless.
  const bool is_harmless = HasWord<
      "len str int float bool type abs min max sum round repr list tuple range isinstance getattr "
      "hasattr id">(name);
  return (IsName(expr.left) && !is_harmless) || IsName(expr.left->left, "self");
}

}  // namespace

bool MayHaveEffect(const Expr& expr) { return AnyExpr(expr, HasOwnEffect); }

const Parameter* ExprFacts::FindParameter(std::string_view name) const {
  for (const Stmt* statement : context_.statements()) {
    if (statement->kind != StmtKind::kFunction) continue;
    for (const Parameter& parameter : statement->parameters)
      if (parameter.name == name) return &parameter;
  }
  return nullptr;
}

bool ExprFacts::IsParameter(std::string_view name) const { return FindParameter(name) != nullptr; }

const Expr* ExprFacts::AssignedOnce(std::string_view name) const {
  const llvm::ArrayRef<NameUse> stores = context_.index().StoresOf(name);
  if (stores.size() != 1 || IsParameter(name)) return nullptr;
  const NameUse& use = stores.front();
  const bool is_plain = use.statement->kind == StmtKind::kAssign && use.parent == nullptr;
  return is_plain ? use.statement->value : nullptr;
}

const Expr* ExprFacts::Attribute(std::string_view attribute) const {
  const Stmt* init = context_.unit().init;
  if (init == nullptr) return nullptr;
  return context_.file().IndexOf(*init).AssignedToSelf(attribute);
}

bool ExprFacts::NameLooksLikeTensor(std::string_view name, int depth) const {
  const TreeIndex& index = context_.index();
  const auto [known, is_new] =
      index.tensor_answers().try_emplace({llvm::StringRef(name), depth}, false);
  if (!is_new) return known->second;
  bool is_tensor = false;
  for (const NameUse& use : index.StoresOf(name)) {
    if (use.statement->kind == StmtKind::kAugmented) continue;
    is_tensor = use.statement->kind == StmtKind::kAssign && use.parent == nullptr &&
                use.statement->value != nullptr &&
                LooksLikeTensor(*use.statement->value, depth - 1);
    if (!is_tensor) break;
  }
  index.tensor_answers()[{llvm::StringRef(name), depth}] = is_tensor;
  return is_tensor;
}

bool ExprFacts::LooksLikeTensor(const Expr& expr, int depth) const {
  if (depth == 0) return false;
  switch (expr.kind) {
    case PythonExprKind::kName: {
      if (const Parameter* parameter = FindParameter(expr.text); parameter != nullptr) {
        if (parameter->annotation != nullptr) return IsTensorType(*parameter->annotation);
      }
      return NameLooksLikeTensor(expr.text, depth);
    }
    case PythonExprKind::kCall: {
      const std::string_view name = LastName(*expr.left);
      if (name.empty()) return false;
      if (IsTorchFunction(*expr.left)) {
        return GivesTensor(CanonicalName(TorchName(*expr.left)), expr, /*is_method=*/false);
      }
      if (expr.left->kind != PythonExprKind::kAttribute) return false;
      if (IsOfSelf(expr.left)) return IsPureModule(Attribute(name));
      return GivesTensor("torch.Tensor." + std::string(name), expr, /*is_method=*/true) &&
             LooksLikeTensor(*expr.left->left, depth - 1);
    }
    case PythonExprKind::kBinary:
      // "%d" % tensor is a string.
      return !IsText(*expr.left) &&
             (LooksLikeTensor(*expr.left, depth - 1) || LooksLikeTensor(*expr.right, depth - 1));
    case PythonExprKind::kCompare:
      // `is` and `in` return Python bools.
      return expr.items.size() == 2 && expr.operators[0] < CompareOperator::kIn &&
             (LooksLikeTensor(*expr.items[0], depth - 1) ||
              LooksLikeTensor(*expr.items[1], depth - 1));
    case PythonExprKind::kUnary:
    case PythonExprKind::kSubscript:
      return LooksLikeTensor(*expr.left, depth - 1);
    case PythonExprKind::kAttribute:
      if (IsOfSelf(&expr)) {
        const Expr* made = Attribute(expr.text);
        return made != nullptr && made->kind == PythonExprKind::kCall &&
               LastName(*made->left) == "Parameter";
      }
      return HasWord<"T mT data">(expr.text) && LooksLikeTensor(*expr.left, depth - 1);
    default:
      return false;
  }
}

bool ExprFacts::IsZeroDim(const Expr& expr, int depth) const {
  if (depth == 0) return false;
  if (IsNumber(expr)) return true;
  switch (expr.kind) {
    case PythonExprKind::kName: {
      const Expr* value = AssignedOnce(expr.text);
      return value != nullptr && IsZeroDim(*value, depth - 1);
    }
    case PythonExprKind::kCall: {
      if (expr.left->kind != PythonExprKind::kAttribute) return false;
      const bool is_function = IsTorchFunction(*expr.left);
      if (IsReduction(expr.left->text)) return expr.arguments.size() == (is_function ? 1 : 0);
      if (!IsElementwise(expr.left->text)) return false;
      if (is_function)
        return !expr.arguments.empty() && IsZeroDim(*expr.arguments[0].value, depth - 1);
      return IsZeroDim(*expr.left->left, depth - 1);
    }
    case PythonExprKind::kBinary:
      return IsZeroDim(*expr.left, depth - 1) && IsZeroDim(*expr.right, depth - 1);
    case PythonExprKind::kUnary:
      return IsZeroDim(*expr.left, depth - 1);
    case PythonExprKind::kCompare:
      return llvm::all_of(expr.items,
                          [&](const Expr* item) { return IsZeroDim(*item, depth - 1); });
    default:
      return false;
  }
}

/// Whether no name in `value`, which is assigned to a name, is stored there or later.
bool ExprFacts::AreNamesKept(const Expr& value) const {
  return !AnyExpr(value, [&](const Expr& part) {
    return IsName(&part) &&
           llvm::any_of(context_.index().StoresOf(part.text), [&](const NameUse& use) {
             return use.statement->span.end >= part.span.begin;
           });
  });
}

/// Adds the names whose shapes are broadcast to that of `expr`, each once and in order.
bool ExprFacts::AddShape(const Expr& expr, std::string& shape, int depth) const {
  if (depth == 0) return false;
  if (IsZeroDim(expr)) return true;
  const auto add = [&](const std::string& part) {
    std::set<std::string> parts;
    llvm::SmallVector<llvm::StringRef, 8> old;
    llvm::StringRef(shape).split(old, '\n', -1, /*KeepEmpty=*/false);
    for (const llvm::StringRef one : old) parts.insert(one.str());
    parts.insert(part);
    shape.clear();
    for (const std::string& one : parts) shape += one + "\n";
    return true;
  };
  switch (expr.kind) {
    case PythonExprKind::kName: {
      const Expr* value = AssignedOnce(expr.text);
      // zeros_like(x) and x > 0 have the shape of x; anything else is represented by its own name.
      const bool is_like = value != nullptr && value->kind == PythonExprKind::kCall &&
                           LastName(*value->left).ends_with("_like");
      const bool is_comparison = value != nullptr && value->kind == PythonExprKind::kCompare;
      if ((is_like || is_comparison) && AreNamesKept(*value))
        return AddShape(*value, shape, depth - 1);
      return add(std::string(expr.text));
    }
    case PythonExprKind::kBinary:
      if (expr.text == "@") return add(std::string(context_.Text(expr)));
      return AddShape(*expr.left, shape, depth - 1) && AddShape(*expr.right, shape, depth - 1);
    case PythonExprKind::kCompare:
      return llvm::all_of(expr.items,
                          [&](const Expr* item) { return AddShape(*item, shape, depth - 1); });
    case PythonExprKind::kUnary:
      return AddShape(*expr.left, shape, depth - 1);
    case PythonExprKind::kCall: {
      if (expr.left->kind != PythonExprKind::kAttribute) break;
      const bool is_function = IsTorchFunction(*expr.left);
      if (IsElementwise(expr.left->text)) {
        if (!is_function && !AddShape(*expr.left->left, shape, depth - 1)) return false;
        for (const CallArgument& argument : expr.arguments) {
          // Keywords are dtypes and bounds, numbers or tensors that are broadcast to the first
          // argument.
          if (!argument.keyword.empty() || DottedName(*argument.value).starts_with("torch."))
            continue;
          if (!AddShape(*argument.value, shape, depth - 1)) return false;
        }
        return true;
      }
      if (!IsOfSelf(expr.left) || expr.arguments.size() != 1) break;
      const Expr* made = Attribute(expr.left->text);
      std::string inner;
      if (made == nullptr || !AddShape(*expr.arguments[0].value, inner, depth - 1)) break;
      // Modules created by the same code return the same shape.
      const std::string_view text =
          context_.unit().init_text.substr(made->span.begin, made->span.end - made->span.begin);
      std::replace(inner.begin(), inner.end(), '\n', ',');
      return add(std::string(text) + "(" + inner + ")");
    }
    default:
      break;
  }
  return add(std::string(context_.Text(expr)));
}

std::string ExprFacts::ShapeOf(const Expr& expr) const {
  std::string shape;
  if (!AddShape(expr, shape, kMaxDepth)) return "";
  return shape.empty() ? "1" : shape;
}

bool ExprFacts::IsBroadcastFrom(const Expr& expr, const Expr& part) const {
  const Expr* value = &expr;
  if (expr.kind == PythonExprKind::kName) value = AssignedOnce(expr.text);
  if (value == nullptr || !AreNamesKept(*value)) return false;
  const std::string all = ShapeOf(*value);
  const std::string some = ShapeOf(part);
  if (all.empty() || some.empty() || some == "1") return false;
  llvm::SmallVector<llvm::StringRef, 8> names;
  llvm::SmallVector<llvm::StringRef, 8> needed;
  llvm::StringRef(all).split(names, '\n');
  llvm::StringRef(some).split(needed, '\n', -1, /*KeepEmpty=*/false);
  return llvm::all_of(needed,
                      [&](llvm::StringRef name) { return llvm::is_contained(names, name); });
}

bool ExprFacts::IsFreeToCompute(const Expr& expr) const {
  switch (expr.kind) {
    case PythonExprKind::kNamed:
    case PythonExprKind::kAwait:
    case PythonExprKind::kYield:
    case PythonExprKind::kYieldFrom:
    case PythonExprKind::kUnreadable:
    case PythonExprKind::kLambda:
      return false;
    case PythonExprKind::kCall: {
      if (expr.left->kind != PythonExprKind::kAttribute) return false;
      const std::string_view name = expr.left->text;
      if (HasEffectByName(name)) return false;
      if (IsOfSelf(expr.left)) {
        if (!IsPureModule(Attribute(name))) return false;
      } else if (!IsTorchFunction(*expr.left) && !LooksLikeTensor(*expr.left->left)) {
        return false;
      }
      break;
    }
    default:
      break;
  }
  bool is_free = true;
  ForEachChild(expr, [&](const Expr& child) { is_free = is_free && IsFreeToCompute(child); });
  return is_free;
}

bool ExprFacts::NameTakesTensor(std::string_view name, int depth) const {
  if (depth == 0) return false;
  const TreeIndex& index = context_.index();
  const auto [known, is_new] =
      index.taker_answers().try_emplace({llvm::StringRef(name), depth}, false);
  if (!is_new) return known->second;
  const bool takes = llvm::all_of(index.UsesOf(name), [&](const NameUse& use) {
    if (use.is_store) return use.statement->kind != StmtKind::kAugmented;
    return TakesTensor(*use.name, index.Above(use), *use.statement, depth - 1);
  });
  index.taker_answers()[{llvm::StringRef(name), depth}] = takes;
  return takes;
}

bool ExprFacts::TakesTensor(const Expr& expr, llvm::ArrayRef<const Expr*> above,
                            const Stmt& statement, int depth) const {
  if (depth == 0) return false;
  if (above.empty()) {
    if (statement.value != &expr) return false;
    if (statement.kind == StmtKind::kAugmented)
      return LooksLikeTensor(*statement.targets[0]) &&
             llvm::StringRef("+-*/").contains(std::string_view(statement.text));
    const Expr* target = OnlyTarget(statement);
    return IsName(target) && NameTakesTensor(target->text, depth - 1);
  }
  const Expr& parent = *above.back();
  switch (parent.kind) {
    case PythonExprKind::kBinary: {
      if (!HasWord<"+ - * / **">(parent.text)) return false;
      const Expr& other = parent.left == &expr ? *parent.right : *parent.left;
      if (LooksLikeTensor(other)) return true;
      return TakesTensor(parent, above.drop_back(), statement, depth - 1);
    }
    case PythonExprKind::kUnary:
      return parent.text == "-" && TakesTensor(parent, above.drop_back(), statement, depth - 1);
    case PythonExprKind::kCompare: {
      if (parent.items.size() != 2 || parent.operators[0] >= CompareOperator::kIn) return false;
      // An `if` or `while` on the comparison breaks the graph before and after.
      const bool is_test = above.size() == 1 && statement.value == &parent;
      if (is_test && (statement.kind == StmtKind::kIf || statement.kind == StmtKind::kWhile)) {
        return false;
      }
      const Expr& other = parent.items[0] == &expr ? *parent.items[1] : *parent.items[0];
      if (LooksLikeTensor(other)) return true;
      // Python converts both a tensor and a bool to a truth value; an assert of a tensor is traced.
      return is_test && statement.kind == StmtKind::kAssert;
    }
    case PythonExprKind::kCall: {
      if (parent.left->kind != PythonExprKind::kAttribute) return false;
      if (parent.left->left == &expr || parent.left == &expr) return false;
      const std::string_view name = parent.left->text;
      const bool is_clamp = name == "clamp" || name == "clip";
      const bool is_function = IsTorchFunction(*parent.left);
      // Both bounds of a clamp must have the same type.
      if (is_clamp && parent.arguments.size() != (is_function ? 2 : 1)) return false;
      if (!is_clamp && !HasWord<"clamp_min clamp_max masked_fill mul div add sub">(name)) {
        return false;
      }
      const Expr* base = is_function ? parent.arguments[0].value : parent.left->left;
      return base != &expr && LooksLikeTensor(*base);
    }
    default:
      return false;
  }
}

bool ExprFacts::IsBoundBefore(std::string_view name, const Stmt& statement) const {
  if (IsParameter(name)) return true;
  for (const NameUse& use : context_.index().StoresOf(name)) {
    if (use.statement->span.begin >= statement.span.begin) break;
    if (use.statement->kind != StmtKind::kAssign) continue;
    // The assignment must be in a block that contains the statement.
    const llvm::ArrayRef<const Stmt*> block = context_.BlockOf(*use.statement);
    for (const Stmt* passed : context_.statements())
      if (context_.BlockOf(*passed).data() == block.data()) return true;
  }
  return false;
}

}  // namespace shapewise
