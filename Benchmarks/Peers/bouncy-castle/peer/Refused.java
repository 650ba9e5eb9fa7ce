package peer;

import java.security.GeneralSecurityException;

/** The receipt is refused. The message gives the reason. */
final class Refused extends GeneralSecurityException {
    private static final long serialVersionUID = 1;

    Refused(String reason) {
        super(reason);
    }
}
