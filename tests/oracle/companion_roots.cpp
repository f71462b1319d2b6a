#include "tests/oracle/companion_roots.h"

#include <stdexcept>

extern "C" void dgeev_(const char* left, const char* right, const int* n, double* a, const int* lda,
                       double* re, double* im, double* vl, const int* ldvl, double* vr,
                       const int* ldvr, double* work, const int* lwork, int* info);

namespace tl::test {

std::vector<double> companion_roots(const std::vector<double>& coefficients, double lo, double hi) {
    std::size_t n = coefficients.size() - 1;
    std::vector<double> matrix(n * n), re(n), im(n);
    for (std::size_t k = 0; k < n; ++k) {
        matrix[k] = -coefficients[k + 1] / coefficients[0];
        if (k > 0) matrix[k * n + k - 1] = 1;
    }
    // Column-major storage transposes the matrix, which has the same eigenvalues.
    int size = static_cast<int>(n), one = 1, info = 0;
    std::vector<double> work(8 * n);
    int n_work = static_cast<int>(work.size());
    double none = 0;
    dgeev_("N", "N", &size, matrix.data(), &size, re.data(), im.data(), &none, &one, &none, &one,
           work.data(), &n_work, &info);
    if (info != 0) throw std::runtime_error("dgeev did not converge");
    std::vector<double> roots;
    for (std::size_t k = 0; k < n; ++k)
        if (im[k] == 0 && re[k] > lo && re[k] < hi) roots.push_back(re[k]);
    return roots;
}

}  // namespace tl::test
