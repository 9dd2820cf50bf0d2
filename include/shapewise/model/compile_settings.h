// Settings of torch and of Inductor: they change how graphs run, and not which are compiled.

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

/// What Inductor's settings are called in policies begins so: "inductor.max_autotune".
inline constexpr std::string_view kInductorPrefix = "inductor.";

/// A truth value, a number, a word of those that the setting knows, or sizes.
using SettingValue = std::variant<bool, int64_t, std::string, std::vector<int64_t>>;

/// Settings by name: "mode" (torch.compile), "float32_matmul_precision"
/// (torch.set_float32_matmul_precision), "inductor.NAME" (torch._inductor.config.NAME).
using CompileSettings = std::map<std::string, SettingValue, std::less<>>;

/// The value of the setting `name` in `text`, as Python prints it: "True", "high", "(8, 16)".
/// Absent: it is none of SettingNames(), or cannot have that value. Whatever the text holds, what
/// comes of it is no more than a value of the setting's type.
std::optional<SettingValue> ReadSetting(std::string_view name, std::string_view text);

/// The names that ReadSetting knows, sorted.
std::vector<std::string_view> SettingNames();

}  // namespace shapewise

#endif  // SHAPEWISE_MODEL_COMPILE_SETTINGS_H_
