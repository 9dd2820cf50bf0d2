// The formats of predictions that are written as they come.

#ifndef SHAPEWISE_REPORT_PREDICTION_WRITERS_H_
#define SHAPEWISE_REPORT_PREDICTION_WRITERS_H_

#include "shapewise/report/prediction_writer.h"

namespace shapewise {

const PredictionFormat& PredictionJsonFormat();
const PredictionFormat& PredictionJsonlFormat();

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_PREDICTION_WRITERS_H_
