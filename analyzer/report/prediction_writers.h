// The formats of predictions, one file each.

#ifndef SHAPEWISE_REPORT_PREDICTION_WRITERS_H_
#define SHAPEWISE_REPORT_PREDICTION_WRITERS_H_

#include "shapewise/report/prediction_writer.h"

namespace shapewise {

const PredictionFormat& PredictionTextFormat();
const PredictionFormat& PredictionJsonFormat();
const PredictionFormat& PredictionJsonlFormat();

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_PREDICTION_WRITERS_H_
