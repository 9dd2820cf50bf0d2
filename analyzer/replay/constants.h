// Parses constants in a dump, such as torch.float32 and device(type='cuda', index=0).

#ifndef SHAPEWISE_REPLAY_CONSTANTS_H_
#define SHAPEWISE_REPLAY_CONSTANTS_H_

#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>

#include <optional>
#include <string>
#include <string_view>

#include "replay/value.h"

namespace shapewise::replay {

/// Where to place the tensors of a program.
class DeviceChoice {
 public:
  /// `forced`: "cpu", "cuda" or "cuda:1" for every tensor; empty: as in the program, or the CPU if
  /// that device is not available. Throws c10::Error if `forced` is not an available device.
  explicit DeviceChoice(const std::string& forced);

  /// The device for a tensor that is on `device` in the program.
  c10::Device For(c10::Device device) const;
  bool IsForced() const { return forced_.has_value(); }
  /// The device if the program does not specify one.
  c10::Device Default() const { return forced_.value_or(c10::Device(c10::kCPU)); }

 private:
  std::optional<c10::Device> forced_;
};

/// Whether tensors can be created on `device`.
bool IsAvailable(c10::Device device);

/// "torch.float32", "float32", "f32" -> float. Absent: unknown dtype.
std::optional<c10::ScalarType> FindDtype(std::string_view name);

/// "torch.float32".
std::string DtypeName(c10::ScalarType dtype);

/// "cpu", "cuda:0", "device(type='cuda', index=0)". Absent: not a device.
std::optional<c10::Device> FindDevice(std::string_view text);

/// The value of `text`; kName if unknown.
Value ParseConstant(std::string_view text, const DeviceChoice& devices);

}  // namespace shapewise::replay

#endif  // SHAPEWISE_REPLAY_CONSTANTS_H_
