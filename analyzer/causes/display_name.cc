#include "causes/display_name.h"

#include <algorithm>

#include "model/resume_name.h"
#include "support/text_scan.h"

namespace shapewise {

bool IsWrapper(std::string_view function, std::string_view file) {
  if (!IsOneOf(function, {"inner", "wrapper", "forward", "<lambda>", "_fn", "__call__",
                          "_call_impl", "_wrapped_call_impl"})) {
    return false;
  }
  return IsLibraryFile(file);
}

bool StandsForUser(std::string_view function, std::string_view file, const Place& user) {
  return !user.function.empty() && !user.file.empty() && OwnerOf(user.file).IsUser() &&
         IsWrapper(function, file);
}

std::string DisplayFunction(const Place& where, const Place& user) {
  std::string_view function = where.function;
  const std::optional<ResumeName> resume = ParseResumeName(function);
  if (resume) function = resume->function;

  std::string name(StandsForUser(function, where.file, user) ? user.function : function);
  if (!resume) return name;
  if (resume->line == 0) return name + " (after a break)";
  return name + " (after the break at line " + std::to_string(resume->line) + ")";
}

}  // namespace shapewise
