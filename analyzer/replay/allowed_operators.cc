#include "replay/operator_lookup.h"

#include <algorithm>
#include <string>

namespace shapewise::replay {
namespace {

// Statements that TorchScript's compiler generates for Python code, and attributes of tensors and
// devices. Deliberately missing: PythonOp, IgnoredPythonOp and rpc_*, which run or send code;
// statements that only optimization passes insert. Source: ATen/core/interned_strings.h,
// register_prim_ops.cpp.
constexpr std::string_view kPrimitives =
    " AutogradAdd AutogradZero CallFunction CallMethod Closure Constant ConstantChunk "
    "CreateObject DictConstruct Drop Enter EnumName EnumValue Exit GetAttr HasAttr If "
    "IfThenElse ListConstruct ListUnpack Loop ModuleContainerIndex NumToTensor Param Print "
    "RaiseException Return SetAttr StringIndex TupleConstruct TupleIndex TupleSlice TupleUnpack "
    "Uninitialized VarConcat VarStack abs annotate data device dtype fork grad id index is_cpu "
    "is_cuda is_ipu is_maia is_meta is_mkldnn is_mps is_mtia is_nested is_quantized is_sparse "
    "is_sparse_csr is_vulkan is_xla is_xpu isinstance itemsize layout max min name nbytes "
    "rangelist requires_grad tolist type unchecked_cast unchecked_unwrap_optional ";

// Operators without a result that check their arguments, or configure computation in this process.
constexpr std::string_view kWithoutResult =
    " _assert_async _assert_scalar _assert_tensor_metadata _backward _linalg_check_errors "
    "_validate_compressed_sparse_indices _validate_sparse_bsc_tensor_args "
    "_validate_sparse_bsr_tensor_args _validate_sparse_compressed_tensor_args "
    "_validate_sparse_coo_tensor_args _validate_sparse_csc_tensor_args "
    "_validate_sparse_csr_tensor_args backward manual_seed set_grad_enabled sym_constrain_range "
    "sym_constrain_range_for_size warn ";

/// Whether `word` is one of `words`, which have a blank before and after each.
bool IsListed(std::string_view words, std::string_view word) {
  return word.find(' ') == std::string_view::npos &&
         words.find(" " + std::string(word) + " ") != std::string_view::npos;
}

bool ChangesAnArgument(const c10::FunctionSchema& schema) {
  return std::ranges::any_of(schema.arguments(), [](const c10::Argument& argument) {
    return argument.alias_info() != nullptr && argument.alias_info()->isWrite();
  });
}

/// from_file(str filename, ...) maps a file, also for writing.
bool NamesAFile(const c10::FunctionSchema& schema) {
  return std::ranges::any_of(schema.arguments(), [](const c10::Argument& argument) {
    return argument.type()->kind() == c10::TypeKind::StringType &&
           argument.name().find("file") != std::string::npos;
  });
}

}  // namespace

bool IsAllowedOperator(const c10::FunctionSchema& schema) {
  const std::string& name = schema.name();
  const size_t colons = name.find("::");
  if (colons == std::string::npos) return false;
  const std::string_view space = std::string_view(name).substr(0, colons);
  const std::string_view base = std::string_view(name).substr(colons + 2);
  if (space == "prim") return IsAllowedPrimitive(base);
  if (space != "aten" && space != "prims") return false;
  if (NamesAFile(schema)) return false;
  return !schema.returns().empty() || ChangesAnArgument(schema) || IsListed(kWithoutResult, base);
}

bool IsAllowedPrimitive(std::string_view name) { return IsListed(kPrimitives, name); }

}  // namespace shapewise::replay
