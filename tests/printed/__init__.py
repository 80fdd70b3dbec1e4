"""What documents and mails print for somebody to write: found, and played or carried out."""
