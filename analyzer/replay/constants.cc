#include "replay/constants.h"

#include <ATen/Context.h>
#include <c10/core/Layout.h>
#include <c10/core/MemoryFormat.h>

#include <limits>

namespace shapewise::replay {
namespace {

struct NamedDtype {
  std::string_view name;
  std::string_view short_name;  ///< as graphs annotate it; empty: none
  c10::ScalarType dtype;
};

// Source: torch/csrc/utils/tensor_dtypes.cpp, and dtype_abbrs in torch/utils/_dtype_abbrs.py.
constexpr NamedDtype kDtypes[] = {
    {"float32", "f32", c10::kFloat},
    {"float", "", c10::kFloat},
    {"float64", "f64", c10::kDouble},
    {"double", "", c10::kDouble},
    {"float16", "f16", c10::kHalf},
    {"half", "", c10::kHalf},
    {"bfloat16", "bf16", c10::kBFloat16},
    {"int64", "i64", c10::kLong},
    {"long", "", c10::kLong},
    {"int32", "i32", c10::kInt},
    {"int", "", c10::kInt},
    {"int16", "i16", c10::kShort},
    {"short", "", c10::kShort},
    {"int8", "i8", c10::kChar},
    {"uint8", "u8", c10::kByte},
    {"uint16", "u16", c10::kUInt16},
    {"uint32", "u32", c10::kUInt32},
    {"uint64", "u64", c10::kUInt64},
    {"bool", "b8", c10::kBool},
    {"complex32", "c32", c10::kComplexHalf},
    {"complex64", "c64", c10::kComplexFloat},
    {"cfloat", "", c10::kComplexFloat},
    {"complex128", "c128", c10::kComplexDouble},
    {"cdouble", "", c10::kComplexDouble},
    {"float8_e4m3fn", "f8e4m3fn", c10::kFloat8_e4m3fn},
    {"float8_e5m2", "f8e5m2", c10::kFloat8_e5m2},
};

template <typename Enumerator>
struct Named {
  std::string_view name;
  Enumerator value;
};

constexpr Named<c10::Layout> kLayouts[] = {
    {"torch.strided", c10::kStrided},
    {"torch.sparse_coo", c10::kSparse},
    {"torch.sparse_csr", c10::kSparseCsr},
};

constexpr Named<c10::MemoryFormat> kMemoryFormats[] = {
    {"torch.contiguous_format", c10::MemoryFormat::Contiguous},
    {"torch.preserve_format", c10::MemoryFormat::Preserve},
    {"torch.channels_last", c10::MemoryFormat::ChannelsLast},
    {"torch.channels_last_3d", c10::MemoryFormat::ChannelsLast3d},
};

/// The quoted text, or the number, after `key` in device(type='cuda', index=0).
std::string PartOfDevice(std::string_view text, std::string_view key) {
  const size_t at = text.find(key);
  if (at == std::string_view::npos) return {};
  std::string_view rest = text.substr(at + key.size());
  if (rest.starts_with('\'') || rest.starts_with('"')) rest.remove_prefix(1);
  size_t size = 0;
  while (size < rest.size() && (std::isalnum(static_cast<unsigned char>(rest[size])) != 0)) ++size;
  return std::string(rest.substr(0, size));
}

Value NumberNamed(std::string_view text) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (text == "inf" || text == "math.inf" || text == "Infinity") return Value::Float(kInfinity);
  if (text == "-inf" || text == "-math.inf" || text == "-Infinity") return Value::Float(-kInfinity);
  if (text == "nan" || text == "math.nan" || text == "NaN") return Value::Float(std::nan(""));
  return {};
}

}  // namespace

DeviceChoice::DeviceChoice(const std::string& forced) {
  if (forced.empty()) return;
  forced_ = c10::Device(forced);
  TORCH_CHECK(IsAvailable(*forced_), "no device ", forced, " here");
}

c10::Device DeviceChoice::For(c10::Device device) const {
  if (device.type() == c10::kMeta) return device;
  if (forced_) return *forced_;
  return IsAvailable(device) ? device : c10::Device(c10::kCPU);
}

bool IsAvailable(c10::Device device) {
  if (device.type() == c10::kCPU || device.type() == c10::kMeta) return true;
  return device.type() == c10::kCUDA && at::hasCUDA() &&
         (!device.has_index() || device.index() < at::detail::getCUDAHooks().deviceCount());
}

std::optional<c10::ScalarType> FindDtype(std::string_view name) {
  if (name.starts_with("torch.")) name.remove_prefix(6);
  for (const NamedDtype& named : kDtypes) {
    if (named.name == name || (!named.short_name.empty() && named.short_name == name)) {
      return named.dtype;
    }
  }
  return {};
}

std::string DtypeName(c10::ScalarType dtype) {
  for (const NamedDtype& named : kDtypes) {
    if (named.dtype == dtype) return "torch." + std::string(named.name);
  }
  return c10::toString(dtype);
}

std::optional<c10::Device> FindDevice(std::string_view text) {
  std::string name(text);
  if (text.starts_with("device(") || text.starts_with("torch.device(")) {
    name = PartOfDevice(text, "type=");
    const std::string index = PartOfDevice(text, "index=");
    if (!index.empty()) name += ":" + index;
  }
  try {
    return c10::Device(name);
  } catch (const c10::Error&) {
    return {};
  }
}

Value ParseConstant(std::string_view text, const DeviceChoice& devices) {
  if (text == "None") return Value::None();
  if (text == "True" || text == "False") return Value::Bool(text == "True");
  if (text == "Ellipsis" || text == "...") return Value::Ellipsis();
  if (Value number = NumberNamed(text); !number.IsMissing()) return number;
  if (text.starts_with("torch.")) {
    if (const auto dtype = FindDtype(text)) {
      return {Value::Kind::kDtype, c10::IValue(static_cast<int64_t>(*dtype))};
    }
  }
  for (const auto& layout : kLayouts) {
    if (layout.name == text) {
      return {Value::Kind::kLayout, c10::IValue(static_cast<int64_t>(layout.value))};
    }
  }
  for (const auto& format : kMemoryFormats) {
    if (format.name == text) {
      return {Value::Kind::kMemoryFormat, c10::IValue(static_cast<int64_t>(format.value))};
    }
  }
  if (text.starts_with("device(") || text.starts_with("torch.device(")) {
    if (const auto device = FindDevice(text)) {
      return Value::OnDevice(devices.For(*device));
    }
  }
  return {Value::Kind::kName, c10::IValue(std::string(text))};
}

}  // namespace shapewise::replay
