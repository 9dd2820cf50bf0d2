// Lines of code with marks under the part that is spoken of.

#ifndef SHAPEWISE_REPORT_CODE_FRAME_H_
#define SHAPEWISE_REPORT_CODE_FRAME_H_

#include <string>

#include "report/printed_text.h"
#include "shapewise/result/code_text.h"

namespace shapewise {

/// Prints the lines of `range`, all but the first few left out, with carets under it in `style`.
/// Long lines are cut to what fits around the range; one of more than 4 KiB is named and not shown.
/// Nothing where the text is not known.
void PrintCodeFrame(const CodeTexts& texts, const std::string& file, const CodeRange& range,
                    TextStyle style, size_t width, PrintedText& page);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_CODE_FRAME_H_
