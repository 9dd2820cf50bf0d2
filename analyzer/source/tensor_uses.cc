#include "source/tensor_uses.h"

#include <initializer_list>

#include "llvm/ADT/STLExtras.h"
#include "source/outside_table.h"
#include "source/word_list.h"
#include "support/text_scan.h"
#include "syntax/python_walk.h"

namespace shapewise {
namespace {

// How far an argument is followed that is handed on and on.
constexpr int kMaxHanding = 3;

bool IsOneOf(uint8_t owners, std::initializer_list<MethodOwner> some) {
  return llvm::any_of(some, [&](MethodOwner owner) { return (owners & Bit(owner)) != 0; });
}

/// Whether the first argument of a function of torch with such results is a tensor.
bool TakesTensor(Gives gives) {
  switch (gives) {
    case Gives::kMask:
    case Gives::kElementwise:
    case Gives::kFloating:
    case Gives::kRunning:
    case Gives::kLike:
    case Gives::kView:
    case Gives::kInPlace:
    case Gives::kTensors:
    case Gives::kLoss:
    case Gives::kReduce:
    case Gives::kReduceMask:
    case Gives::kReduceIntegers:
    case Gives::kReduceAfterOne:
    case Gives::kReduceOrPair:
    case Gives::kPair:
    case Gives::kUnknownSize:
    case Gives::kNonzero:
    case Gives::kUnique:
    case Gives::kWhere:
    case Gives::kRepeatEach:
    case Gives::kOneHot:
    case Gives::kPrototypeResult:
    case Gives::kTruthOfData:
      return true;
    default:
      return false;
  }
}

/// Whether Python's own things or modules have a method of this name, or other objects often do.
bool IsAmbiguous(std::string_view method) {
  if (IsOneOf(OwnersOf(method), {MethodOwner::kDict, MethodOwner::kList, MethodOwner::kText,
                                 MethodOwner::kNumber, MethodOwner::kModule, MethodOwner::kSize})) {
    return true;
  }
  return HasWord<"size index_select select split type apply_ values indices sample">(method);
}

/// Whether tensors or arrays have an attribute or a method of this name, or code may have added
/// one.
bool IsAttributeOfTensors(std::string_view name) {
  return OwnersOf(name) != 0 || name.starts_with('_') || name.starts_with("is_") ||
         HasWord<
             "shape dtype device layout ndim itemsize nbytes data grad grad_fn grad_dtype names "
             "name T H mT mH real imag flat strides output_nr requires_grad retains_grad">(name);
}

}  // namespace

bool IsMethodOfTensorsAlone(std::string_view name) {
  const uint8_t owners = OwnersOf(name);
  return IsOneOf(owners, {MethodOwner::kTensor}) && !IsOneOf(owners, {MethodOwner::kArray}) &&
         !IsAmbiguous(name);
}

/// Reads the body of one function.
class UseReader {
 public:
  UseReader(Project& project, FileId file, TensorUses::Uses& uses)
      : project_(project), file_(file), uses_(uses) {}

  void Read(const Stmt& function) {
    ReadBlock(function.body);
    // Arrays of NumPy share some uses.
    const uint8_t tensor_bits =
        Bit(Use::kTensor) | (uses_torch_ && !uses_numpy_ ? Bit(Use::kArray) : 0);
    for (auto& [name, uses] : uses_.names) {
      const bool is_tensor = (uses & tensor_bits) != 0 && (uses & Bit(Use::kOther)) == 0;
      uses &= static_cast<uint8_t>(~(Bit(Use::kTensor) | Bit(Use::kArray)));
      if (is_tensor) uses |= Bit(Use::kTensor);
    }
  }

 private:
  using Use = TensorUses::Use;

  static constexpr uint8_t Bit(Use use) { return static_cast<uint8_t>(use); }

  void ReadBlock(llvm::ArrayRef<const Stmt*> body) {
    for (const Stmt* stmt : body) {
      if (stmt->kind == StmtKind::kFunction || stmt->kind == StmtKind::kClass) continue;
      const bool unpacks = stmt->kind == StmtKind::kAssign && IsName(stmt->value) &&
                           stmt->targets.front()->kind == PythonExprKind::kTuple;
      if (unpacks) uses_.Add(stmt->value->text, Use::kNoNumber);
      if (const Expr* name = AskedForNumbers(*stmt)) AddNoTensor(name->text);
      ForEachExpr(*stmt, [&](const Expr& expr, bool /*is_target*/) { ReadExpr(expr); });
      ForEachBlock(*stmt, [&](llvm::ArrayRef<const Stmt*> block) { ReadBlock(block); });
    }
  }

  /// x of `if x == 0`; null: it has another form.
  static const Expr* AskedForNumber(const Stmt& stmt) {
    if (stmt.kind != StmtKind::kIf || stmt.value->kind != PythonExprKind::kCompare) return nullptr;
    const Expr& test = *stmt.value;
    const bool is_equality = test.items.size() == 2 &&
                             test.operators.front() == CompareOperator::kEqual &&
                             test.items[1]->kind == PythonExprKind::kInteger;
    return is_equality && IsName(test.items[0]) ? test.items[0] : nullptr;
  }

  /// x of `if x == 0: ... elif x == 1: ...`, which is the number of a choice.
  static const Expr* AskedForNumbers(const Stmt& stmt) {
    const Expr* name = AskedForNumber(stmt);
    if (name == nullptr || stmt.orelse.size() != 1) return nullptr;
    const Expr* next = AskedForNumber(*stmt.orelse.front());
    return next != nullptr && next->text == name->text ? name : nullptr;
  }

  void ReadExpr(const Expr& expr) {
    switch (expr.kind) {
      case PythonExprKind::kLambda:
        return;
      case PythonExprKind::kName:
        uses_torch_ |= expr.text == "torch" || expr.text == "F";
        uses_numpy_ |= expr.text == "np" || expr.text == "numpy";
        return;
      case PythonExprKind::kCall:
        ReadCall(expr);
        break;
      case PythonExprKind::kAttribute:
        if (!IsName(expr.left)) break;
        if (!IsOneOf(OwnersOf(expr.text), {MethodOwner::kNumber}) &&
            !HasWord<"real imag">(expr.text)) {
          uses_.Add(expr.left->text, Use::kNoNumber);
        }
        if (!IsAttributeOfTensors(expr.text)) AddNoTensor(expr.left->text);
        if (HasWord<"requires_grad is_cuda grad_fn is_sparse is_leaf is_quantized">(expr.text)) {
          uses_.Add(expr.left->text, Use::kTensor);
        }
        break;
      case PythonExprKind::kSubscript:
        ReadSubscript(expr);
        break;
      case PythonExprKind::kBinary:
        if (expr.text != "@") break;
        for (const Expr* side : {expr.left, expr.right}) {
          if (IsName(side)) uses_.Add(side->text, Use::kArray);
        }
        break;
      default:
        break;
    }
    ForEachChild(expr, [&](const Expr& child) { ReadExpr(child); });
  }

  void AddNoTensor(std::string_view name) {
    uses_.Add(name, Use::kOther);
    uses_.Add(name, Use::kNoTensor);
  }

  void ReadCall(const Expr& call) {
    const Expr& callee = *call.left;
    if (IsName(&callee)) uses_.Add(callee.text, Use::kOther);
    if (callee.kind == PythonExprKind::kAttribute && IsName(callee.left)) {
      ReadMethod(callee.left->text, callee.text);
    }
    if (call.arguments.empty() || !call.arguments.front().keyword.empty()) return;
    // Only names, and lists of names, are about to be learned from the callee.
    const bool has_names = llvm::any_of(call.arguments, [](const CallArgument& argument) {
      return IsName(argument.value) || IsDisplay(*argument.value);
    });
    if (!has_names) return;
    const Binding binding = project_.ResolveDotted(file_, callee);
    if (binding.kind == Binding::Kind::kFunction) ReadArguments(call, binding.id);
    const Expr* first = call.arguments.front().value;
    const bool is_list = IsDisplay(*first);
    if (!IsName(first) && !is_list) return;
    if (!is_list && AsksForNoList(call)) uses_.Add(first->text, Use::kOther);
    if (!is_list && IsName(&callee, "range")) AddNoTensor(first->text);
    if (binding.kind != Binding::Kind::kOutside || !binding.name.starts_with("torch.")) return;
    const std::string_view name = LastName(binding.name);
    if (is_list) {
      if (!HasWord<"cat concat stack hstack vstack dstack column_stack">(name)) return;
      for (const Expr* item : first->items) {
        if (IsName(item)) uses_.Add(item->text, Use::kTensor);
      }
      return;
    }
    const OutsideRow row = FindOutside(binding.name);
    const bool is_joined = HasWord<"cat concat stack hstack vstack dstack meshgrid">(name);
    const bool asks = HasWord<"is_floating_point is_complex numel">(name);
    if (row.group != nullptr && !is_joined && (asks || TakesTensor(row.group->gives))) {
      uses_.Add(first->text, Use::kTensor);
    }
  }

  void ReadArguments(const Expr& call, FunctionId id) {
    for (size_t i = 0; i < call.arguments.size(); ++i) {
      const CallArgument& argument = call.arguments[i];
      if (argument.stars != 0 || !argument.keyword.empty()) return;
      if (!IsName(argument.value)) continue;
      uses_.handed.push_back({.name = argument.value->text, .to = id, .position = i});
    }
  }

  /// Whether `call` is isinstance(x, type) with another type than lists and dicts, of which code
  /// takes the tensors out.
  static bool AsksForNoList(const Expr& call) {
    if (!IsName(call.left, "isinstance") || call.arguments.size() != 2) return false;
    const Expr& type = *call.arguments[1].value;
    const Expr* const alone = &type;
    for (const Expr* one :
         type.kind == PythonExprKind::kTuple ? llvm::ArrayRef<const Expr*>(type.items) : alone) {
      if (!HasWord<"list tuple dict List Tuple Dict Sequence Mapping">(one->text)) return true;
    }
    return false;
  }

  void ReadMethod(std::string_view name, std::string_view method) {
    const uint8_t owners = OwnersOf(method);
    if (!IsOneOf(owners, {MethodOwner::kTensor})) {
      const bool is_other = IsOneOf(owners, {MethodOwner::kDict, MethodOwner::kList,
                                             MethodOwner::kText, MethodOwner::kModule});
      if (is_other) uses_.Add(name, Use::kOther);
    } else if (IsMethodOfTensorsAlone(method)) {
      uses_.Add(name, Use::kTensor);
    } else if (IsOneOf(owners, {MethodOwner::kArray}) && !IsAmbiguous(method)) {
      uses_.Add(name, Use::kArray);
    }
  }

  void ReadSubscript(const Expr& expr) {
    if (!IsName(expr.left)) return;
    uses_.Add(expr.left->text, Use::kNoNumber);
    if (expr.items.size() == 1 && expr.items.front()->kind == PythonExprKind::kString) {
      uses_.Add(expr.left->text, Use::kOther);
    }
    if (expr.items.size() < 2) return;
    for (const Expr* item : expr.items) {
      if (item->kind == PythonExprKind::kSlice || item->kind == PythonExprKind::kEllipsis ||
          item->kind == PythonExprKind::kNone) {
        uses_.Add(expr.left->text, Use::kArray);
        return;
      }
    }
  }

  Project& project_;
  FileId file_;
  TensorUses::Uses& uses_;
  bool uses_torch_ = false;
  bool uses_numpy_ = false;
};

TensorUses::Uses& TensorUses::UsesOf(FileId file, const Stmt& function) {
  std::unique_ptr<Uses>& uses = known_[{file, &function}];
  if (uses == nullptr) {
    uses = std::make_unique<Uses>();
    UseReader(project_, file, *uses).Read(function);
  }
  return *uses;
}

bool TensorUses::UsesParameter(FunctionId id, size_t position, int depth) {
  const Stmt* tree = project_.Tree(id);
  if (tree == nullptr || position >= tree->parameters.size()) return false;
  const std::string_view name = tree->parameters[position].name;
  const Uses& uses = UsesOf(project_.function(id).file, *tree);
  if (uses.Has(name, Use::kTensor)) return true;
  if (depth == 0 || uses.Has(name, Use::kOther)) return false;
  return llvm::any_of(uses.handed, [&](const Handed& handed) {
    return handed.name == name && UsesParameter(handed.to, handed.position, depth - 1);
  });
}

bool TensorUses::IsTensor(FileId file, const Stmt& function, std::string_view name) {
  Uses& uses = UsesOf(file, function);
  if (!uses.knows_handed) {
    uses.knows_handed = true;
    for (const Handed& handed : uses.handed) {
      if (uses.Has(handed.name, Use::kTensor) || uses.Has(handed.name, Use::kOther)) continue;
      if (UsesParameter(handed.to, handed.position, kMaxHanding)) {
        uses.Add(handed.name, Use::kHanded);
      }
    }
  }
  return uses.Has(name, Use::kTensor) || uses.Has(name, Use::kHanded);
}

}  // namespace shapewise
