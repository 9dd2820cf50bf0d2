#include "check/expr_facts.h"

#include <algorithm>
#include <set>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

namespace shapewise {
namespace {

template <size_t N>
bool IsOneOf(std::string_view word, const std::string_view (&words)[N]) {
  return llvm::is_contained(words, word);
}

/// Functions that give a tensor without dims where they are given no dims.
constexpr std::string_view kReductions[] = {
    "sum",  "mean", "max",  "min",    "any",           "all",    "norm",   "std",  "var",
    "prod", "amax", "amin", "median", "count_nonzero", "argmax", "argmin", "dist", "logsumexp"};

/// Functions whose result has the shape of their arguments, broadcast.
constexpr std::string_view kElementwise[] = {
    "abs",        "exp",        "log",         "sqrt",        "rsqrt",       "sin",
    "cos",        "tanh",       "sigmoid",     "relu",        "gelu",        "silu",
    "clamp",      "clip",       "clamp_min",   "clamp_max",   "float",       "half",
    "double",     "bfloat16",   "to",          "type_as",     "clone",       "detach",
    "contiguous", "nan_to_num", "masked_fill", "softmax",     "log_softmax", "square",
    "pow",        "add",        "sub",         "mul",         "div",         "neg",
    "round",      "floor",      "ceil",        "sign",        "zeros_like",  "ones_like",
    "empty_like", "full_like",  "isnan",       "isinf",       "isfinite",    "minimum",
    "maximum",    "where",      "logical_not", "logical_and", "logical_or",  "erf",
    "reciprocal", "expm1",      "log1p",       "leaky_relu",  "elu",         "softplus",
    "bool",       "int",        "long",        "tan",         "asin",        "acos",
    "atan",       "sinh",       "cosh",        "normalize"};

/// Methods of tensors that give no tensor.
constexpr std::string_view kNoTensor[] = {
    "item",       "tolist",       "size",          "dim",      "numel",    "stride", "numpy",
    "get_device", "element_size", "is_contiguous", "data_ptr", "nelement", "storage"};

/// Parts of names of functions that draw, print or otherwise do more than compute.
constexpr std::string_view kEffects[] = {"rand",     "dropout",  "bernoulli", "multinomial",
                                         "normal",   "print",    "poisson",   "manual_seed",
                                         "backward", "register", "set_",      "save"};

/// Methods of Python's containers that store.
constexpr std::string_view kStores[] = {
    "append", "extend", "insert", "pop",     "popitem",    "update",  "remove", "clear",
    "sort",   "write",  "add",    "discard", "setdefault", "reverse", "item",   "tolist"};

/// Modules that keep no state and draw nothing.
constexpr std::string_view kPureModules[] = {
    "Linear",    "Bilinear",  "Conv1d",       "Conv2d",     "Conv3d",          "ConvTranspose1d",
    "LayerNorm", "RMSNorm",   "GroupNorm",    "Embedding",  "ConvTranspose2d", "Identity",
    "ReLU",      "GELU",      "SiLU",         "Tanh",       "Sigmoid",         "Softmax",
    "ELU",       "LeakyReLU", "Softplus",     "LogSoftmax", "Flatten",         "MaxPool2d",
    "AvgPool2d", "Upsample",  "PixelShuffle", "Hardswish",  "ReLU6",           "Mish"};

bool IsNumber(const Expr& expr) {
  if (expr.kind == PythonExprKind::kInteger || expr.kind == PythonExprKind::kFloat) return true;
  return expr.kind == PythonExprKind::kUnary && expr.left != nullptr && IsNumber(*expr.left);
}

bool IsSelf(const Expr* expr) {
  return expr != nullptr && expr->kind == PythonExprKind::kName && expr->text == "self";
}

/// Whether a dotted name is one of torch's functions: "torch.abs", "F.relu".
bool IsTorchFunction(const Expr& callee) {
  const std::string name = DottedName(callee);
  const std::string_view dotted(name);
  return dotted.starts_with("torch.") || dotted.starts_with("F.") ||
         dotted.starts_with("nn.functional.");
}

bool HasEffectByName(std::string_view name) {
  if (std::string_view(name).ends_with("_") && !std::string_view(name).ends_with("__")) return true;
  if (IsOneOf(name, kStores) && name != "add") return true;
  return llvm::any_of(kEffects, [&](std::string_view effect) {
    return name.find(effect) != std::string_view::npos;
  });
}

}  // namespace

bool MayHaveEffect(const Expr& expr) {
  if (expr.kind == PythonExprKind::kNamed || expr.kind == PythonExprKind::kAwait ||
      expr.kind == PythonExprKind::kYield || expr.kind == PythonExprKind::kYieldFrom ||
      expr.kind == PythonExprKind::kUnreadable)
    return true;
  if (expr.kind == PythonExprKind::kCall && expr.left != nullptr) {
    const std::string_view name = LastName(*expr.left);
    const bool is_reading = name == "item" || name == "tolist";
    if (name.empty() || (HasEffectByName(name) && !is_reading)) return true;
    // A plain name is a function of somebody's: only Python's own are known to be harmless.
    static constexpr std::string_view kHarmless[] = {
        "len",   "str",  "int",  "float", "bool",  "type",       "abs",     "min",     "max", "sum",
        "round", "repr", "list", "tuple", "range", "isinstance", "getattr", "hasattr", "id"};
    if (expr.left->kind == PythonExprKind::kName && !IsOneOf(name, kHarmless)) return true;
    if (IsSelf(expr.left->left)) return true;
  }
  bool found = false;
  ForEachChild(expr, [&](const Expr& child) { found = found || MayHaveEffect(child); });
  return found;
}

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
  const Expr* value = nullptr;
  for (const NameUse& use : UsesOf(context_.body(), name)) {
    if (!use.is_store) continue;
    if (value != nullptr || use.statement->kind != StmtKind::kAssign || !use.above.empty())
      return nullptr;
    value = use.statement->value;
  }
  return IsParameter(name) ? nullptr : value;
}

const Expr* ExprFacts::Attribute(std::string_view attribute) const {
  const Stmt* init = context_.unit().init;
  if (init == nullptr) return nullptr;
  const Expr* value = nullptr;
  for (const NameUse& use : UsesOf(init->body, "self")) {
    if (use.above.empty() || use.statement->kind != StmtKind::kAssign) continue;
    const Expr& target = *use.above.back();
    if (target.kind != PythonExprKind::kAttribute || target.text != attribute) continue;
    if (!llvm::is_contained(use.statement->targets, &target)) continue;
    if (value != nullptr) return nullptr;
    value = use.statement->value;
  }
  return value;
}

bool ExprFacts::LooksLikeTensor(const Expr& expr, int depth) const {
  if (depth == 0) return false;
  switch (expr.kind) {
    case PythonExprKind::kName: {
      if (const Parameter* parameter = FindParameter(expr.text); parameter != nullptr) {
        if (parameter->annotation != nullptr)
          return context_.Text(*parameter->annotation).find("Tensor") != std::string_view::npos;
      }
      bool is_tensor = false;
      for (const NameUse& use : UsesOf(context_.body(), expr.text)) {
        if (!use.is_store || use.statement->kind == StmtKind::kAugmented) continue;
        if (use.statement->kind != StmtKind::kAssign || !use.above.empty() ||
            use.statement->value == nullptr || !LooksLikeTensor(*use.statement->value, depth - 1))
          return false;
        is_tensor = true;
      }
      return is_tensor;
    }
    case PythonExprKind::kCall: {
      if (expr.left == nullptr) return false;
      const std::string_view name = LastName(*expr.left);
      if (name.empty() || IsOneOf(name, kNoTensor)) return false;
      if (IsTorchFunction(*expr.left)) return true;
      if (expr.left->kind != PythonExprKind::kAttribute) return false;
      if (IsSelf(expr.left->left)) {
        const Expr* made = Attribute(name);
        return made != nullptr && made->kind == PythonExprKind::kCall && made->left != nullptr &&
               IsOneOf(LastName(*made->left), kPureModules);
      }
      return LooksLikeTensor(*expr.left->left, depth - 1);
    }
    case PythonExprKind::kBinary:
      return LooksLikeTensor(*expr.left, depth - 1) || LooksLikeTensor(*expr.right, depth - 1);
    case PythonExprKind::kCompare:
      return expr.items.size() == 2 && (LooksLikeTensor(*expr.items[0], depth - 1) ||
                                        LooksLikeTensor(*expr.items[1], depth - 1));
    case PythonExprKind::kUnary:
    case PythonExprKind::kSubscript:
      return LooksLikeTensor(*expr.left, depth - 1);
    case PythonExprKind::kAttribute:
      if (IsSelf(expr.left)) {
        const Expr* made = Attribute(expr.text);
        return made != nullptr && made->kind == PythonExprKind::kCall && made->left != nullptr &&
               LastName(*made->left) == "Parameter";
      }
      return (expr.text == "T" || expr.text == "mT" || expr.text == "data") &&
             LooksLikeTensor(*expr.left, depth - 1);
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
      if (expr.left == nullptr || expr.left->kind != PythonExprKind::kAttribute) return false;
      const bool is_function = IsTorchFunction(*expr.left);
      if (IsOneOf(expr.left->text, kReductions))
        return expr.arguments.size() == (is_function ? 1 : 0);
      if (!IsOneOf(expr.left->text, kElementwise)) return false;
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

/// Adds the names that `expr` is broadcast from, each once and in order.
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
      // zeros_like(x) is as x is; anything else is its own name.
      if (value != nullptr && value->kind == PythonExprKind::kCall && value->left != nullptr &&
          LastName(*value->left).ends_with("_like"))
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
      if (expr.left == nullptr || expr.left->kind != PythonExprKind::kAttribute) break;
      const bool is_function = IsTorchFunction(*expr.left);
      if (IsOneOf(expr.left->text, kElementwise)) {
        if (!is_function && !AddShape(*expr.left->left, shape, depth - 1)) return false;
        for (const CallArgument& argument : expr.arguments) {
          // Keywords are dtypes and bounds, numbers or tensors that are broadcast into the first.
          if (!argument.keyword.empty() || DottedName(*argument.value).starts_with("torch."))
            continue;
          if (!AddShape(*argument.value, shape, depth - 1)) return false;
        }
        return true;
      }
      if (!IsSelf(expr.left->left) || expr.arguments.size() != 1) break;
      const Expr* made = Attribute(expr.left->text);
      std::string inner;
      if (made == nullptr || !AddShape(*expr.arguments[0].value, inner, depth - 1)) break;
      // Two modules that are made by the same text give the same shape.
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
      if (expr.left == nullptr || expr.left->kind != PythonExprKind::kAttribute) return false;
      const std::string_view name = expr.left->text;
      if (HasEffectByName(name)) return false;
      if (IsSelf(expr.left->left)) {
        const Expr* made = Attribute(name);
        if (made == nullptr || made->kind != PythonExprKind::kCall || made->left == nullptr ||
            !IsOneOf(LastName(*made->left), kPureModules))
          return false;
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
  for (const NameUse& use : UsesOf(context_.body(), name)) {
    if (use.is_store) {
      if (use.statement->kind == StmtKind::kAugmented) return false;
      continue;
    }
    if (!TakesTensor(*use.name, use.above, *use.statement, depth - 1)) return false;
  }
  return true;
}

bool ExprFacts::TakesTensor(const Expr& expr, llvm::ArrayRef<const Expr*> above,
                            const Stmt& statement, int depth) const {
  if (depth == 0) return false;
  if (above.empty()) {
    if (statement.value != &expr) return false;
    if (statement.kind == StmtKind::kAugmented)
      return LooksLikeTensor(*statement.targets[0]) &&
             llvm::StringRef("+-*/").contains(statement.text);
    return statement.kind == StmtKind::kAssign && statement.targets.size() == 1 &&
           statement.targets[0]->kind == PythonExprKind::kName &&
           NameTakesTensor(statement.targets[0]->text, depth - 1);
  }
  const Expr& parent = *above.back();
  switch (parent.kind) {
    case PythonExprKind::kBinary: {
      static constexpr std::string_view kOperators[] = {"+", "-", "*", "/", "**"};
      if (!IsOneOf(parent.text, kOperators)) return false;
      const Expr& other = parent.left == &expr ? *parent.right : *parent.left;
      if (LooksLikeTensor(other)) return true;
      return TakesTensor(parent, above.drop_back(), statement, depth - 1);
    }
    case PythonExprKind::kUnary:
      return parent.text == "-" && TakesTensor(parent, above.drop_back(), statement, depth - 1);
    case PythonExprKind::kCompare: {
      if (parent.items.size() != 2 || parent.operators[0] >= CompareOperator::kIn) return false;
      const Expr& other = parent.items[0] == &expr ? *parent.items[1] : *parent.items[0];
      if (LooksLikeTensor(other)) return true;
      // Python asks a tensor for its truth as it asks a bool.
      return above.size() == 1 && statement.value == &parent &&
             (statement.kind == StmtKind::kIf || statement.kind == StmtKind::kWhile ||
              statement.kind == StmtKind::kAssert);
    }
    case PythonExprKind::kCall: {
      static constexpr std::string_view kTakers[] = {"clamp_min", "clamp_max", "masked_fill", "mul",
                                                     "div",       "add",       "sub"};
      if (parent.left == nullptr || parent.left->kind != PythonExprKind::kAttribute) return false;
      if (parent.left->left == &expr || parent.left == &expr) return false;
      const std::string_view name = parent.left->text;
      const bool is_clamp = name == "clamp" || name == "clip";
      const bool is_function = IsTorchFunction(*parent.left);
      // Both bounds of a clamp have to be of one kind.
      if (is_clamp && parent.arguments.size() != (is_function ? 2 : 1)) return false;
      if (!is_clamp && !IsOneOf(name, kTakers)) return false;
      const Expr* base = is_function ? parent.arguments[0].value : parent.left->left;
      return base != &expr && LooksLikeTensor(*base);
    }
    default:
      return false;
  }
}

bool ExprFacts::IsBoundBefore(std::string_view name, const Stmt& statement) const {
  if (IsParameter(name)) return true;
  for (const NameUse& use : UsesOf(context_.body(), name)) {
    if (!use.is_store || use.statement->span.begin >= statement.span.begin) continue;
    if (use.statement->kind != StmtKind::kAssign) continue;
    // The assignment stands in a block that the way to the statement leads through.
    for (const Stmt* passed : context_.statements())
      if (llvm::is_contained(context_.BlockOf(*passed), use.statement)) return true;
  }
  return false;
}

}  // namespace shapewise
