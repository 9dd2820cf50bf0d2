// Fuzzes the reader of settings files. The law: an error names the file; what is read once is read
// the same again; nothing crashes, hangs or nests without bound.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "cli/settings.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  // The first byte says what the file is called; the rest is the file.
  const shapewise::SettingsFile file{
      .path = (data[0] & 1) != 0 ? "/w/shapewise.toml" : "/w/pyproject.toml", .way_up = "../"};
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  shapewise::Settings settings;
  shapewise::Expected<bool> found = shapewise::ReadSettings(text, file, settings);
  if (!found) {
    if (!llvm::toString(found.takeError()).starts_with(file.path)) std::abort();
    return 0;
  }
  shapewise::Settings again;
  if (llvm::cantFail(shapewise::ReadSettings(text, file, again)) != *found) std::abort();
  const auto same = [](const shapewise::CommandSettings& a, const shapewise::CommandSettings& b) {
    return a.select == b.select && a.ignore == b.ignore && a.fail_on == b.fail_on &&
           a.format == b.format && a.baseline == b.baseline;
  };
  const bool is_same = same(settings.lint, again.lint) && same(settings.check, again.check) &&
                       settings.check.mode == again.check.mode &&
                       settings.check.exclude == again.check.exclude;
  if (!is_same) std::abort();
  return 0;
}
