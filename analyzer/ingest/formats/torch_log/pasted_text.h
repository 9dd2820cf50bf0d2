// Text as torch printed it, out of lines that were copied, escaped or mixed with other output.

#ifndef SHAPEWISE_INGEST_FORMATS_TORCH_LOG_PASTED_TEXT_H_
#define SHAPEWISE_INGEST_FORMATS_TORCH_LOG_PASTED_TEXT_H_

#include <string>
#include <string_view>
#include <vector>

namespace shapewise {

/// Restores what copying changed within one line:
///
///   &lt;, &#39;, no-break spaces, typographic quotes       the character itself
///   {"log": "W1121 ...\n", "stream": "stderr"}             the text of that member
///   "W1121 ...\n",                                         a line of a notebook's JSON
///   stderr='W1121 ...\n   function: ...'                   the lines of an escaped text
///   12%|##    | 12/100 [00:05<00:40,  2.1it/s]             nothing: a progress bar
///
/// Returns false and leaves `lines` alone if `line` has nothing of the kind, as nearly all lines.
/// Linear in the line.
bool RestorePastedLine(std::string_view line, std::vector<std::string>& lines);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_TORCH_LOG_PASTED_TEXT_H_
