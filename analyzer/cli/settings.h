// The settings file: a project's default options.

#ifndef SHAPEWISE_CLI_SETTINGS_H_
#define SHAPEWISE_CLI_SETTINGS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/error.h"

namespace shapewise {

/// Settings for one command; absent: not set. The command line takes precedence.
struct CommandSettings {
  std::optional<std::vector<std::string>> select;
  std::optional<std::vector<std::string>> ignore;
  std::optional<std::string> fail_on;  ///< "fail-on"
  std::optional<std::string> format;
  std::optional<std::string> baseline;  ///< relative to the working directory
};

/// Additional settings for `check`.
struct CheckSettings : CommandSettings {
  std::optional<std::string> mode;
  std::optional<std::vector<std::string>> entries;
  std::optional<std::vector<std::string>> exclude;  ///< paths are seen from where the program runs
};

struct Settings {
  CommandSettings lint;  ///< [tool.shapewise.lint]
  CheckSettings check;   ///< [tool.shapewise.check]
};

/// A settings file.
struct SettingsFile {
  std::string path;    ///< a shapewise.toml, or another file with a table [tool.shapewise]
  std::string way_up;  ///< from the working directory to the folder of `path`: "../", or empty
};

/// Parses the text of `file` into `settings`; false: it has no settings. Errors: as for
/// LoadSettings.
Expected<bool> ReadSettings(std::string_view text, const SettingsFile& file, Settings& settings);

/// Reads the settings for the folder `start`: those of the nearest parent folder with a
/// shapewise.toml or a pyproject.toml with a table [tool.shapewise]. shapewise.toml takes
/// precedence. Empty if not found.
///
/// Errors: an unreadable file, invalid TOML, an unknown key (the message suggests the nearest) or a
/// value of the wrong type. The meaning of values is not checked.
Expected<Settings> LoadSettings(const std::string& start);

/// The settings for the working directory; empty if it was deleted.
Expected<Settings> LoadSettingsHere();

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_SETTINGS_H_
