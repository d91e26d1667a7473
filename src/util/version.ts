/** The version of kubexm; a test keeps it equal to the package's. */
export const version = '0.1.0'
