// Results that the program wrote as JSON, read back.

#ifndef SHAPEWISE_SAVED_SAVED_RESULT_H_
#define SHAPEWISE_SAVED_SAVED_RESULT_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "shapewise/result/finding.h"
#include "shapewise/support/error.h"

namespace shapewise {

/// Longer texts are refused. What is saved without `--events` never comes near.
inline constexpr size_t kMaxSavedBytes = size_t{256} << 20;

/// Whether a text that begins with `head` (some 100 bytes of it) is of this program: an object
/// whose first member is "schema": "shapewise...".
bool LooksSaved(std::string_view head);

/// What a file held.
struct SavedResult {
  LintResult result;
  bool is_baseline = false;  ///< then only the findings are known, and of them what identifies them
};

/// Reads `text`, a result of `shapewise lint --format json` (schema shapewise.lint/1) or a baseline
/// (shapewise.baseline/1). `name` is how the user calls it.
/// The events of a result are passed over, so the event indices of its findings lead nowhere.
/// Members that this version does not know are ignored. Those that it knows may be missing, apart
/// from `findings` and, in each of them, `rule`, `severity`, `identity` and `fingerprint`.
///
/// Error: no JSON, with line and column; another schema; a member of a wrong type, with its path:
/// "old.json: findings[3].count: expected a whole number".
Expected<SavedResult> ReadSavedResult(std::string_view text, const std::string& name);

}  // namespace shapewise

#endif  // SHAPEWISE_SAVED_SAVED_RESULT_H_
