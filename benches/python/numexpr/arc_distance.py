from numexpr import evaluate


def kernel(theta_1, phi_1, theta_2, phi_2):
    temp = evaluate("sin((theta_2 - theta_1) / 2) ** 2 + cos(theta_1) * cos(theta_2) * sin((phi_2 - phi_1) / 2) ** 2")
    return evaluate("2 * arctan2(sqrt(temp), sqrt(1 - temp))", out=temp)
