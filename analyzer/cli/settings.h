// The settings file: what a project wants of every run, without saying it each time.

#ifndef SHAPEWISE_CLI_SETTINGS_H_
#define SHAPEWISE_CLI_SETTINGS_H_

#include <optional>
#include <string>
#include <vector>

#include "shapewise/support/error.h"

namespace shapewise {

/// What a settings file says; absent where it says nothing. The command line wins.
struct Settings {
  std::optional<std::vector<std::string>> select;  ///< lint.select
  std::optional<std::vector<std::string>> ignore;  ///< lint.ignore
  std::optional<std::string> fail_on;              ///< lint.fail-on
  std::optional<std::string> format;               ///< lint.format
  std::optional<std::string> baseline;             ///< lint.baseline, seen from here
};

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
