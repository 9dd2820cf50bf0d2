#include "shapewise/shapes/padding.h"
