// The formats of a tune, one file each.

#ifndef SHAPEWISE_REPORT_TUNE_WRITERS_H_
#define SHAPEWISE_REPORT_TUNE_WRITERS_H_

#include <string>

#include "report/render.h"
#include "shapewise/report/tune_writer.h"

namespace shapewise {

DocumentFormats<TuneReport>::Describe DescribeTune;
TuneFormat::Function WriteTuneJson;

/// The result in one sentence: "dynamic=True: 2 compiles instead of 9".
std::string TuneVerdictText(const TuneReport& report);

/// Where to paste a part: " Paste before each call of step (train.py:12):"; for a patch ":".
std::string PasteText(const RankedAction& part);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_TUNE_WRITERS_H_
