// Signed by itself, with a key that nobody has kept, and good for a hundred years.
const body =
  'MIIBrjCCAVOgAwIBAgIUUGL5i48V3xCyBS8Ho0R+/BKx48swCgYIKoZIzj0EAwIwKzEVMBMGA1UECgwMc3lzdGVtOm5vZGVzMRIwEAYDVQQDDAlzaW11bGF0ZWQwIBcNMjYxMTE2MDQzNzA2WhgPMjEyNjEwMjMwNDM3MDZaMCsxFTATBgNVBAoMDHN5c3RlbTpub2RlczESMBAGA1UEAwwJc2ltdWxhdGVkMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEKpJQl5qrb50ClU0vRRazhL1EH1uSU2+H6RKHRDWayoe/x1UYOBNuhxx5Pi6XpKWCbvWsN55VTKFB6sIeNjSJzKNTMFEwHQYDVR0OBBYEFC+sxkk15LCAKgFMnH9O6oWj55a8MB8GA1UdIwQYMBaAFC+sxkk15LCAKgFMnH9O6oWj55a8MA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSQAwRgIhAIXzb1gnmkhKhVZ+hBJotH0lvYvoBBrWz8HSR8RZ32LyAiEAwvnpa6IhW+kBG/itIK7qMCi84hHd0pqY0CO1EJCqmWE='

/** Stands for every certificate that a program on a simulated host makes: only its dates are ever looked at. */
export const sampleCertificate = `-----BEGIN CERTIFICATE-----\n${body.replaceAll(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`
