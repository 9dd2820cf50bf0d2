// Settings of torch and Inductor that change how graphs run, but not which graphs are compiled.

#ifndef SHAPEWISE_MODEL_COMPILE_SETTINGS_H_
#define SHAPEWISE_MODEL_COMPILE_SETTINGS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace shapewise {

/// Prefix of Inductor settings in policies: "inductor.max_autotune".
inline constexpr std::string_view kInductorPrefix = "inductor.";

/// A truth value, a number, one of the setting's words, or sizes.
using SettingValue = std::variant<bool, int64_t, std::string, std::vector<int64_t>>;

/// Settings by name: "mode" (torch.compile), "float32_matmul_precision"
/// (torch.set_float32_matmul_precision), "inductor.NAME" (torch._inductor.config.NAME).
using CompileSettings = std::map<std::string, SettingValue, std::less<>>;

/// Parses the value of setting `name`, printed as in Python: "True", "high", "(8, 16)". Absent:
/// unknown setting or invalid value. The result is always a plain value of the setting's type,
/// whatever the text.
std::optional<SettingValue> ReadSetting(std::string_view name, std::string_view text);

/// The names that ReadSetting accepts, sorted.
std::vector<std::string_view> SettingNames();

}  // namespace shapewise

#endif  // SHAPEWISE_MODEL_COMPILE_SETTINGS_H_
