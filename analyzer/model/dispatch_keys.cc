#include "model/dispatch_keys.h"

#include <algorithm>
#include <initializer_list>

#include "support/enum_name.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

using Words = std::initializer_list<std::string_view>;

/// "CPU, BackendSelect": the keys of the next "DispatchKeySet(...)" of `text`, which then begins
/// behind it.
std::string_view TakeKeys(std::string_view& text) {
  constexpr std::string_view kOpening = "DispatchKeySet(";
  const size_t at = FindText(text, kOpening);
  if (at == kNotFound) return {};
  text.remove_prefix(at + kOpening.size());
  const std::string_view keys = text.substr(0, FindText(text, ")"));
  text.remove_prefix(keys.size());
  return keys;
}

/// The first key in two parts: "SparseCsrCUDA" is the layout "SparseCsr" on the device "CUDA".
struct KernelKey {
  std::string_view layout;
  std::string_view device;
};

KernelKey KernelOf(std::string_view keys) {
  std::string_view key = keys.substr(0, FindText(keys, ","));
  for (const std::string_view layout : {"SparseCsr", "Sparse", "Quantized", "NestedTensor"}) {
    if (key.starts_with(layout)) return {layout, key.substr(layout.size())};
  }
  return {{}, key};
}

/// Whether one of `words` is part of exactly one of the two sets.
bool Differs(std::string_view expected, std::string_view actual, Words words) {
  return std::ranges::any_of(words, [&](std::string_view word) {
    return HasText(expected, word) != HasText(actual, word);
  });
}

}  // namespace

std::string_view TensorKindName(TensorKind kind) {
  return EnumName<TensorKind::kInference>(
      kind, {"unknown", "transform", "subclass", "device", "layout", "lazy_view", "inference"});
}

TensorKind DifferingKind(std::string_view message) {
  const std::string_view expected = TakeKeys(message);
  const std::string_view actual = TakeKeys(message);
  if (expected.empty() || actual.empty()) return TensorKind::kUnknown;
  if (Differs(expected, actual, {"FuncTorch"})) return TensorKind::kTransform;
  if (Differs(expected, actual, {"Python"})) return TensorKind::kSubclass;
  const KernelKey wanted = KernelOf(expected);
  const KernelKey met = KernelOf(actual);
  if (wanted.device != met.device) return TensorKind::kDevice;
  if (wanted.layout != met.layout) return TensorKind::kLayout;
  if (Differs(expected, actual, {"Conjugate", "Negative", "ZeroTensor"})) {
    return TensorKind::kLazyView;
  }
  if (Differs(expected, actual, {"ADInplaceOrView", "Autograd"})) return TensorKind::kInference;
  return TensorKind::kUnknown;
}

}  // namespace shapewise
