// Output formats of advice.

#ifndef SHAPEWISE_REPORT_ADVICE_WRITER_H_
#define SHAPEWISE_REPORT_ADVICE_WRITER_H_

#include <span>

#include "model/session.h"
#include "report/report_writer.h"
#include "result/advice.h"

namespace shapewise {

/// Event indices of the advice refer to the session.
using AdviceFormat = OutputFormat<Advice, Session>;

/// The formats of --format, the default first.
std::span<const AdviceFormat> AdviceFormats();

/// The formats of --emit, which print the actions of the plan as text to paste.
std::span<const AdviceFormat> AdviceEmitters();

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_ADVICE_WRITER_H_
