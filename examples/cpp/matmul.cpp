// The stationary distribution of a random walk on a ring: its transition matrix, squared until
// nothing changes. Also A' A, which is symmetric to the last bit.
//
//   c++ matmul.cpp $(pkg-config --cflags --libs hotloops)
#include "handle.hpp"

#include <cmath>
#include <cstdio>
#include <vector>

// A matrix, or a transposed view: element (i, j) is at i * row + j * column.
struct View {
    const double *values;
    size_t rows, columns;
    std::ptrdiff_t row, column;
};

struct Matrix {
    size_t rows, columns;
    std::vector<double> values;

    Matrix(size_t rows_, size_t columns_) : rows(rows_), columns(columns_), values(rows_ * columns_) {}
    double &operator()(size_t i, size_t j) { return values[i * columns + j]; }
    operator View() const { return {values.data(), rows, columns, static_cast<std::ptrdiff_t>(columns), 1}; }
};

static View transposed(const View &a)
{
    return {a.values, a.columns, a.rows, a.column, a.row};
}

static Matrix operator*(const View &a, const View &b)
{
    Matrix c(a.rows, b.columns);
    check(hl_matmul_gemm_f64(a.rows, b.columns, a.columns, 1, a.values, a.row, a.column, b.values, b.row, b.column, 0,
                             c.values.data(), static_cast<std::ptrdiff_t>(c.columns), 1, nullptr, nullptr, 0));
    return c;
}

int main()
{
    const size_t n = 101;
    Matrix walk(n, n);
    for (size_t i = 0; i < n; i++) {
        walk(i, (i + 1) % n) = 0.5;
        walk(i, (i + n - 1) % n) = 0.5;
    }
    Matrix squared = walk * walk;
    for (int step = 1; step < 16; step++)
        squared = View(squared) * squared;
    std::printf("after 2^16 steps at the start with probability %.12f, 1 / n = %.12f\n", squared(0, 0), 1.0 / n);

    Matrix a(50, 70);
    for (size_t i = 0; i < a.values.size(); i++)
        a.values[i] = std::sin(static_cast<double>(i * i));
    Matrix gram = transposed(a) * a;
    bool symmetric = true;
    for (size_t i = 0; i < gram.rows; i++)
        for (size_t j = 0; j < i; j++)
            symmetric = symmetric && gram(i, j) == gram(j, i);
    std::printf("A' A is %s\n", symmetric ? "symmetric" : "not symmetric");
    return symmetric && std::fabs(squared(0, 0) * n - 1) < 1e-9 ? 0 : 1;
}
