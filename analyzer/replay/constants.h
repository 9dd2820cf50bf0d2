// Constants as a dump prints them, such as torch.float32 and device(type='cuda', index=0).

#ifndef SHAPEWISE_REPLAY_CONSTANTS_H_
#define SHAPEWISE_REPLAY_CONSTANTS_H_

#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>

#include <optional>
#include <string>
#include <string_view>

#include "replay/value.h"

namespace shapewise::replay {

/// Where the tensors of a program go.
class DeviceChoice {
 public:
  /// `forced`: "cpu", "cuda", "cuda:1", which every tensor goes to; empty: each goes where the
  /// program has it, and to the CPU where that device is not there. Throws c10::Error if `forced`
  /// is no device, or is not there.
  explicit DeviceChoice(const std::string& forced);

  /// For a tensor that the program has on `device`.
  c10::Device For(c10::Device device) const;
  bool IsForced() const { return forced_.has_value(); }
  /// Where the program does not tell.
  c10::Device Default() const { return forced_.value_or(c10::Device(c10::kCPU)); }

 private:
  std::optional<c10::Device> forced_;
};

/// Whether tensors can be made on `device`.
bool IsAvailable(c10::Device device);

/// "torch.float32", "float32", "f32" -> float. Absent: no dtype is called so.
std::optional<c10::ScalarType> FindDtype(std::string_view name);

/// "torch.float32".
std::string DtypeName(c10::ScalarType dtype);

/// "cpu", "cuda:0", "device(type='cuda', index=0)". Absent: it is no device.
std::optional<c10::Device> FindDevice(std::string_view text);

/// The value of `text`; kName if it is not known.
Value ParseConstant(std::string_view text, const DeviceChoice& devices);

}  // namespace shapewise::replay

#endif  // SHAPEWISE_REPLAY_CONSTANTS_H_
