package peer;

import java.security.GeneralSecurityException;

/** The receipt is not one to trust; the message says why. */
final class Refused extends GeneralSecurityException {
    private static final long serialVersionUID = 1;

    Refused(String reason) {
        super(reason);
    }
}
