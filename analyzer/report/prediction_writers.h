// The formats of predictions, one file each.

#ifndef SHAPEWISE_REPORT_PREDICTION_WRITERS_H_
#define SHAPEWISE_REPORT_PREDICTION_WRITERS_H_

#include "shapewise/report/prediction_writer.h"

namespace shapewise {

const PredictionWriter& PredictionTextReport();
const PredictionWriter& PredictionJsonReport();
const PredictionWriter& PredictionJsonlReport();

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_PREDICTION_WRITERS_H_
