// function: dct8
// sizes: stride=8
// sizes: stride=11
// arrays: in=stride*8, out=stride*8
// output: out
// temporaries: columns=window 8
// loops: 2 -> 1

static const float cosine[8][8] = {
    { 0.3536f, 0.3536f, 0.3536f, 0.3536f, 0.3536f, 0.3536f, 0.3536f, 0.3536f },
    { 0.4904f, 0.4157f, 0.2778f, 0.0975f, -0.0975f, -0.2778f, -0.4157f, -0.4904f },
    { 0.4619f, 0.1913f, -0.1913f, -0.4619f, -0.4619f, -0.1913f, 0.1913f, 0.4619f },
    { 0.4157f, -0.0975f, -0.4904f, -0.2778f, 0.2778f, 0.4904f, 0.0975f, -0.4157f },
    { 0.3536f, -0.3536f, -0.3536f, 0.3536f, 0.3536f, -0.3536f, -0.3536f, 0.3536f },
    { 0.2778f, -0.4904f, 0.0975f, 0.4157f, -0.4157f, -0.0975f, 0.4904f, -0.2778f },
    { 0.1913f, -0.4619f, 0.4619f, -0.1913f, -0.1913f, 0.4619f, -0.4619f, 0.1913f },
    { 0.0975f, -0.2778f, 0.4157f, -0.4904f, 0.4904f, -0.4157f, 0.2778f, -0.0975f },
};

// The discrete cosine transform of a block of an image, columns and then rows.
void dct8(const float *restrict in, float *restrict out, int stride)
{
    float columns[8][8];
#pragma scop
    for (int u = 0; u < 8; u++)
        for (int j = 0; j < 8; j++) {
            columns[u][j] = 0.0f;
            for (int i = 0; i < 8; i++)
                columns[u][j] += cosine[u][i] * in[i * stride + j];
        }
    for (int u = 0; u < 8; u++)
        for (int v = 0; v < 8; v++) {
            float sum = 0.0f;
            for (int j = 0; j < 8; j++)
                sum += columns[u][j] * cosine[v][j];
            out[u * stride + v] = sum;
        }
#pragma endscop
}
