// What differs between two sets of dispatch keys, as guards on tensors print them.

#ifndef SHAPEWISE_MODEL_DISPATCH_KEYS_H_
#define SHAPEWISE_MODEL_DISPATCH_KEYS_H_

#include <cstdint>
#include <string_view>

namespace shapewise {

/// The property of a tensor that decides which kernels PyTorch calls for it.
enum class TensorKind : uint8_t {
  kUnknown,    ///< not printed, or a key that has no name here
  kTransform,  ///< wrapped by a transform of torch.func
  kSubclass,   ///< a subclass of torch.Tensor or under a mode that Python implements
  kDevice,     ///< its type of device
  kLayout,     ///< dense, sparse, quantized or nested
  kLazyView,   ///< a conjugate or negative view, whose values are computed at the next read
  kInference,  ///< made under torch.inference_mode()
};

/// "unknown", "transform", "subclass", "device", "layout", "lazy_view" or "inference".
std::string_view TensorKindName(TensorKind kind);

/// What differs between the two sets of `message`: "tensor 'x' dispatch key set mismatch. expected
/// DispatchKeySet(CPU, BackendSelect), actual DispatchKeySet(CUDA, BackendSelect)".
///
/// Source: c10/core/DispatchKey.h (order and names of keys: the first is the kernel's layout and
/// device) and DispatchKeySet.cpp (toString); each kind was compared with what 2.13.0 prints.
TensorKind DifferingKind(std::string_view message);

}  // namespace shapewise

#endif  // SHAPEWISE_MODEL_DISPATCH_KEYS_H_
