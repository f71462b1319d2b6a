#include "solvers/dense/cuda_libraries.h"

#define TL_TEXT_OF(text) #text
#define TL_TEXT(text) TL_TEXT_OF(text)

namespace tl::late {

constexpr const char* kInstall = "CUDA's libraries";

const LateLibrary cublas("cuBLAS", "libcublas.so." TL_TEXT(CUBLAS_VER_MAJOR),
                         TL_CUDA_LIBRARY_FOLDER, kInstall);
const LateLibrary cusolver("cuSOLVER", "libcusolver.so." TL_TEXT(CUSOLVER_VER_MAJOR),
                           TL_CUDA_LIBRARY_FOLDER, kInstall);

}  // namespace tl::late

#undef TL_TEXT
#undef TL_TEXT_OF
