// Lines of code with marks below a range.

#ifndef SHAPEWISE_REPORT_CODE_FRAME_H_
#define SHAPEWISE_REPORT_CODE_FRAME_H_

#include <string>

#include "report/document.h"
#include "result/code_text.h"

namespace shapewise {

/// Adds the first few lines of `range`, with carets in `style` below it. Long lines are shortened
/// to the context of the range; lines of more than 4 KiB are only mentioned. Adds nothing if the
/// text is unknown.
void AddCodeFrame(const CodeTexts& texts, const std::string& file, const CodeRange& range,
                  TextStyle style, size_t width, Document& page);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_CODE_FRAME_H_
