// The gateway of Octave and MATLAB: treelight_mex('COMMAND', ...) over the C interface. Matrices
// are handles of class uint64, which results have as the member `value` of a structure; the class
// gpuMatrix wraps them. A range of rows or columns is [first, step, count], the first from 0.
#include <mex.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "library/api/treelight.h"

namespace {

tl_queue* queue = nullptr;

void end_queue() {
    tl_queue_destroy(queue);
    queue = nullptr;
}

/// Leaves the function where a call has failed.
void check(tl_status status) {
    constexpr const char* kIds[] = {"",          "invalid",   "failed",  "no_memory",
                                    "cancelled", "timed_out", "unknown", "bad_file"};
    if (status != TL_OK)
        mexErrMsgIdAndTxt((std::string("treelight:") + kIds[status]).c_str(), "%s",
                          tl_last_error());
}

void use_queue(const char* device) {
    if (queue) return;
    check(tl_queue_create(device, &queue));
    mexAtExit(end_queue);
}

struct Arguments {
    int n_results;
    mxArray** results;
    int count;
    const mxArray** all;

    [[nodiscard]] const mxArray* at(int i) const {
        if (i >= count) mexErrMsgIdAndTxt("treelight:invalid", "too few arguments");
        return all[i];
    }
    [[nodiscard]] tl_value value(int i) const {
        if (!mxIsUint64(at(i))) mexErrMsgIdAndTxt("treelight:invalid", "no handle of a matrix");
        return *static_cast<const tl_value*>(mxGetData(at(i)));
    }
    [[nodiscard]] double number(int i) const { return mxGetScalar(at(i)); }
    [[nodiscard]] int integer(int i) const { return static_cast<int>(number(i)); }

    struct Range {
        int first, step, count;
    };
    [[nodiscard]] Range range(int i) const {
        if (!mxIsDouble(at(i)) || mxGetNumberOfElements(at(i)) != 3)
            mexErrMsgIdAndTxt("treelight:invalid", "a range is [first, step, count]");
        const double* numbers = mxGetPr(at(i));
        return {static_cast<int>(numbers[0]), static_cast<int>(numbers[1]),
                static_cast<int>(numbers[2])};
    }

    void give(int i, mxArray* result) const {
        if (i == 0 || i < n_results) results[i] = result;
    }
    /// Hands out handles; those that the caller takes no output for are released.
    void give_values(const tl_value* values, int n) const {
        for (int i = 0; i < n; ++i) {
            if (i > 0 && i >= n_results) {
                (void)tl_release(queue, values[i]);
                continue;
            }
            auto* handle = mxCreateNumericMatrix(1, 1, mxUINT64_CLASS, mxREAL);
            std::memcpy(mxGetData(handle), &values[i], sizeof(tl_value));
            const char* member = "value";
            results[i] = mxCreateStructMatrix(1, 1, 1, &member);
            mxSetField(results[i], 0, member, handle);
        }
    }
};

void upload(const Arguments& a) {
    auto* matrix = a.at(1);
    bool is_number = mxIsDouble(matrix) || mxIsSingle(matrix);
    if (!is_number || mxIsComplex(matrix) || mxIsSparse(matrix) ||
        mxGetNumberOfDimensions(matrix) != 2)
        mexErrMsgIdAndTxt("treelight:invalid", "a full real matrix of class double or single");
    tl_value value = 0;
    auto type = mxIsDouble(matrix) ? TL_FLOAT64 : TL_FLOAT32;
    check(tl_upload(queue, type, static_cast<int>(mxGetM(matrix)), static_cast<int>(mxGetN(matrix)),
                    mxGetData(matrix), mxGetM(matrix), &value));
    a.give_values(&value, 1);
}

void fetch(const Arguments& a) {
    tl_type type = TL_FLOAT64;
    int rows = 0, cols = 0;
    check(tl_shape(queue, a.value(1), &type, &rows, &cols));
    auto* result =
        mxCreateNumericMatrix(static_cast<mwSize>(rows), static_cast<mwSize>(cols),
                              type == TL_FLOAT64 ? mxDOUBLE_CLASS : mxSINGLE_CLASS, mxREAL);
    check(tl_fetch(queue, a.value(1), -1, mxGetData(result), static_cast<std::size_t>(rows)));
    a.give(0, result);
}

void size_of(const Arguments& a) {
    int rows = 0, cols = 0;
    check(tl_shape(queue, a.value(1), nullptr, &rows, &cols));
    auto* size = mxCreateDoubleMatrix(1, 2, mxREAL);
    mxGetPr(size)[0] = rows;
    mxGetPr(size)[1] = cols;
    a.give(0, size);
}

void class_of(const Arguments& a) {
    tl_type type = TL_FLOAT64;
    int rows = 0, cols = 0;
    check(tl_shape(queue, a.value(1), &type, &rows, &cols));
    a.give(0, mxCreateString(type == TL_FLOAT64 ? "double" : "single"));
}

void elements(const Arguments& a) {
    tl_value value = 0;
    check(tl_elements(queue, static_cast<tl_element>(a.integer(1)), a.value(2),
                      a.count > 3 ? a.value(3) : 0, &value));
    a.give_values(&value, 1);
}

void elements_scalar(const Arguments& a) {
    tl_value value = 0;
    check(tl_elements_scalar(queue, static_cast<tl_element>(a.integer(1)), a.value(2), a.number(3),
                             a.integer(4), &value));
    a.give_values(&value, 1);
}

void block(const Arguments& a) {
    tl_value value = 0;
    auto rows = a.range(2), cols = a.range(3);
    check(tl_block_strided(queue, a.value(1), rows.first, rows.step, rows.count, cols.first,
                           cols.step, cols.count, &value));
    a.give_values(&value, 1);
}

void replace(const Arguments& a) {
    tl_value value = 0;
    auto rows = a.range(2), cols = a.range(3);
    check(tl_replace_strided(queue, a.value(1), rows.first, rows.step, cols.first, cols.step,
                             a.value(4), &value));
    a.give_values(&value, 1);
}

template <tl_status (*kCall)(tl_queue*, tl_value, tl_value*)>
void one(const Arguments& a) {
    tl_value value = 0;
    check(kCall(queue, a.value(1), &value));
    a.give_values(&value, 1);
}
template <tl_status (*kCall)(tl_queue*, tl_value, tl_value, tl_value*)>
void two(const Arguments& a) {
    tl_value value = 0;
    check(kCall(queue, a.value(1), a.value(2), &value));
    a.give_values(&value, 1);
}
template <tl_status (*kCall)(tl_queue*, tl_value, tl_value*, tl_value*)>
void pair(const Arguments& a) {
    tl_value values[2] = {};
    check(kCall(queue, a.value(1), &values[0], &values[1]));
    a.give_values(values, 2);
}
template <tl_status (*kCall)(tl_queue*, tl_value, tl_value*, tl_value*, tl_value*)>
void triple(const Arguments& a) {
    tl_value values[3] = {};
    check(kCall(queue, a.value(1), &values[0], &values[1], &values[2]));
    a.give_values(values, 3);
}
template <tl_status (*kCall)(tl_queue*, tl_value)>
void nothing(const Arguments& a) {
    check(kCall(queue, a.value(1)));
}

void lu_solve(const Arguments& a) {
    tl_value value = 0;
    check(tl_lu_solve(queue, a.value(1), a.value(2), a.integer(4), a.value(3), &value));
    a.give_values(&value, 1);
}

void lstsq(const Arguments& a) {
    tl_value values[2] = {};
    check(tl_lstsq(queue, a.value(1), a.value(2), a.number(3), &values[0], &values[1]));
    a.give_values(values, 2);
}

void pinv(const Arguments& a) {
    tl_value values[2] = {};
    check(tl_pinv(queue, a.value(1), a.number(2), &values[0], &values[1]));
    a.give_values(values, 2);
}

void rank_of(const Arguments& a) {
    tl_value value = 0;
    check(tl_rank(queue, a.value(1), a.number(2), &value));
    a.give_values(&value, 1);
}

struct Command {
    const char* name;
    void (*run)(const Arguments&);
};
constexpr Command kCommands[] = {
    {"upload", upload},
    {"fetch", fetch},
    {"size", size_of},
    {"class", class_of},
    {"elements", elements},
    {"elements_scalar", elements_scalar},
    {"block", block},
    {"replace", replace},
    {"transpose", one<tl_transpose>},
    {"inverse", one<tl_inverse>},
    {"singular_values", one<tl_singular_values>},
    {"eigenvalues", one<tl_eigenvalues>},
    {"matmul", two<tl_matmul>},
    {"solve", two<tl_solve>},
    {"lu_solve", lu_solve},
    {"lstsq", lstsq},
    {"pinv", pinv},
    {"rank", rank_of},
    {"lu_factors", pair<tl_lu_factors>},
    {"rref", pair<tl_rref>},
    {"eig", pair<tl_eig>},
    {"lu", triple<tl_lu>},
    {"svd", triple<tl_svd>},
    {"read", nothing<tl_read>},
    {"cancel", nothing<tl_cancel>},
    {"release", nothing<tl_release>},
};

}  // namespace

void mexFunction(int n_results, mxArray** results, int count, const mxArray** all) {
    Arguments arguments{n_results, results, count, all};
    char name[32] = "";
    if (count < 1 || mxGetString(all[0], name, sizeof(name)) != 0)
        mexErrMsgIdAndTxt("treelight:invalid", "the first argument names a command");
    // Handles that outlive the queue, at the end of Octave, have nothing to release.
    if (!queue && std::strcmp(name, "release") == 0) return;
    const char* device = std::getenv("TREELIGHT_DEVICE");
    use_queue(device ? device : "auto");
    for (auto& command : kCommands)
        if (std::strcmp(command.name, name) == 0) return command.run(arguments);
    mexErrMsgIdAndTxt("treelight:invalid", "unknown command '%s'", name);
}
