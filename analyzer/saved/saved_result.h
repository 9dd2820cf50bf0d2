// Reads results that the program wrote as JSON.

#ifndef SHAPEWISE_SAVED_SAVED_RESULT_H_
#define SHAPEWISE_SAVED_SAVED_RESULT_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "result/finding.h"
#include "support/error.h"

namespace shapewise {

/// Longer texts are rejected. Results saved without `--events` are far smaller.
inline constexpr size_t kMaxSavedBytes = size_t{256} << 20;

/// Whether a text that begins with `head` (about 100 bytes) was written by this program: an object
/// whose first member is "schema": "shapewise...". Records of calls, one per line, are not.
bool LooksSaved(std::string_view head);

/// The content of a file.
struct SavedResult {
  LintResult result;
  bool is_baseline = false;  ///< only the identities of findings are known
};

/// Reads `text`, a result of `shapewise lint --format json` (schema shapewise.lint/1) or a baseline
/// (shapewise.baseline/1). `name`: the user's name of it. Events are skipped, so event indices of
/// findings are invalid. Unknown members are ignored. Known members may be missing, except
/// `findings` and, in each of them, `rule`, `severity`, `identity` and `fingerprint`.
///
/// Error: invalid JSON, with line and column; another schema; a member of a wrong type, with its
/// path: "old.json: findings[3].count: expected a whole number".
Expected<SavedResult> ReadSavedResult(std::string_view text, const std::string& name);

}  // namespace shapewise

#endif  // SHAPEWISE_SAVED_SAVED_RESULT_H_
