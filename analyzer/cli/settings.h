// The settings file: what a project wants of every run, without saying it each time.

#ifndef SHAPEWISE_CLI_SETTINGS_H_
#define SHAPEWISE_CLI_SETTINGS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shapewise/support/error.h"

namespace shapewise {

/// What a settings file says of one command; absent where it says nothing. The command line wins.
struct CommandSettings {
  std::optional<std::vector<std::string>> select;
  std::optional<std::vector<std::string>> ignore;
  std::optional<std::string> fail_on;  ///< "fail-on"
  std::optional<std::string> format;
  std::optional<std::string> baseline;  ///< seen from where the program runs
};

/// What it says of `check` besides.
struct CheckSettings : CommandSettings {
  std::optional<std::string> mode;
  std::optional<std::vector<std::string>> entries;
  std::optional<std::vector<std::string>> exclude;  ///< paths are seen from where the program runs
};

struct Settings {
  CommandSettings lint;  ///< [tool.shapewise.lint]
  CheckSettings check;   ///< [tool.shapewise.check]
};

/// One settings file.
struct SettingsFile {
  std::string path;    ///< a shapewise.toml, or another file with a table [tool.shapewise]
  std::string way_up;  ///< from where the program runs to the folder of `path`: "../", or nothing
};

/// Reads the text of `file` into `settings`; false: it has no settings. Errors: as LoadSettings.
Expected<bool> ReadSettings(std::string_view text, const SettingsFile& file, Settings& settings);

/// Reads the settings that hold in the folder `start`: those of the nearest folder upwards that has
/// a shapewise.toml or a pyproject.toml with a table [tool.shapewise]. In one folder shapewise.toml
/// wins. Without any, empty settings.
///
/// Errors: a file that cannot be read or is no TOML, an unknown key (the message names the nearest)
/// or a value of the wrong type. What the values mean is not looked at.
Expected<Settings> LoadSettings(const std::string& start);

/// The settings that hold where the program runs; empty if that folder was deleted.
Expected<Settings> LoadSettingsHere();

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_SETTINGS_H_
