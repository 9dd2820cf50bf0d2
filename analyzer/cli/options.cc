#include "cli/options.h"
#include "cli/value_checks.h"

#include <CLI/CLI.hpp>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace shapewise {

void AddRuleList(CLI::App& app, const std::string& name, std::vector<std::string>& list,
                 const std::string& description) {
  // One value at a time: a following PATH is not part of the list.
  app.add_option(name, list, description)
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("RULES");
}

void AddChoice(CLI::App& app, const std::string& name, std::string& choice,
               const std::vector<std::string>& allowed, const std::string& description) {
  app.add_option(name, choice, description + " [default: " + choice + "]")
      ->check(OneOf(allowed))
      ->type_name(llvm::join(allowed, "|"));
}

void AddRepeatable(CLI::App& app, const std::string& name, std::vector<std::string>& values,
                   const std::string& type, const std::string& description) {
  app.add_option(name, values, description)
      ->type_name(type)
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void AddGroup(CLI::App& app, const std::string& heading, llvm::function_ref<void()> add) {
  const size_t before = app.get_options().size();
  add();
  const std::vector<CLI::Option*> all = app.get_options();
  for (size_t i = before; i < all.size(); ++i) {
    if (!all[i]->get_positional()) all[i]->group(heading);
  }
}

const std::vector<std::string>& FailOnNames() {
  static const std::vector<std::string> names = {"note", "warning", "error", "never"};
  return names;
}

std::optional<Severity> FailOnSeverity(const std::string& fail_on) {
  for (const Severity severity : {Severity::kNote, Severity::kWarning, Severity::kError}) {
    if (SeverityName(severity) == fail_on) return severity;
  }
  return std::nullopt;
}

Error CheckSetting(const std::string& key, const std::string& value,
                   const std::vector<std::string>& allowed) {
  for (const std::string& name : allowed) {
    if (name == value) return Error::success();
  }
  return MakeError("settings: " + key + ": '" + value + "' is not one of " +
                   llvm::join(allowed, ", "));
}

}  // namespace shapewise
